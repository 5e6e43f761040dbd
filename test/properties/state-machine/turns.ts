import type { Limits } from './limits.js';
import type { ModelJob, ModelWorker } from './model-job.js';

/** How many lanes there may be. */
const LANES = 2 ** 32;

/**
 * The job that a worker claims next, and with that the turn: the first of the first lane behind the one that had its turn
 * last, round in a ring, whose tenant has room. Jobs without a tenant stand in one more lane.
 */
export function nextInTurn(jobs: readonly ModelJob[], worker: ModelWorker, limits: Limits): ModelJob | undefined {
  const ready = jobs.filter(({ state }) => state === 'ready');
  const lanes = [...new Set(ready.map(({ lane }) => lane))].filter((lane) => lane !== 0);
  if (lanes.length === 0) {
    return firstOf(ready);
  }
  const steps = (lane: number) => (lane > worker.lastTurn ? lane : lane + LANES) - worker.lastTurn;
  const ring = [0, ...lanes].sort((a, b) => steps(a) - steps(b));
  const next = ring.find((lane) => ready.some((job) => job.lane === lane && limits.hasRoom(job.tenant)));
  // Where no tenant has room all have had their turn.
  worker.lastTurn = next ?? ring.at(-1)!;
  return firstOf(ready.filter(({ lane }) => lane === next));
}

/** Those of one priority stand in line by their time. */
function firstOf(jobs: readonly ModelJob[]): ModelJob | undefined {
  const [first] = [...jobs].sort((a, b) => a.priority - b.priority || a.runAt - b.runAt || (a.id < b.id ? -1 : 1));
  return first;
}

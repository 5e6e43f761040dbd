import type { Limits } from './limits.js';
import type { ModelJob, ModelWorker } from './model-job.js';

/** How many lanes there may be. */
const LANES = 2 ** 32;

/**
 * The job that a worker claims next; advances the round robin. It is the first job of the first lane, behind the lane
 * that came last, whose tenant has capacity. Jobs without a tenant share one more lane.
 */
export function nextInRoundRobin(jobs: readonly ModelJob[], worker: ModelWorker, limits: Limits): ModelJob | undefined {
  const ready = jobs.filter(({ state }) => state === 'ready');
  const lanes = [...new Set(ready.map(({ lane }) => lane))].filter((lane) => lane !== 0);
  if (lanes.length === 0) {
    return firstOf(ready);
  }
  const steps = (lane: number) => (lane > worker.lastLane ? lane : lane + LANES) - worker.lastLane;
  const ring = [0, ...lanes].sort((a, b) => steps(a) - steps(b));
  // Of all tenants, because it corrects what they have used under an earlier limit.
  const free = new Set(ready.filter(({ tenant }) => limits.hasTenantCapacity(tenant)).map(({ lane }) => lane));
  const next = ring.find((lane) => free.has(lane));
  // Where no tenant has capacity the round is complete.
  worker.lastLane = next ?? ring.at(-1)!;
  return firstOf(ready.filter(({ lane }) => lane === next));
}

/** Jobs of one priority are ordered by their time. */
function firstOf(jobs: readonly ModelJob[]): ModelJob | undefined {
  const [first] = [...jobs].sort((a, b) => a.priority - b.priority || a.runAt - b.runAt || (a.id < b.id ? -1 : 1));
  return first;
}

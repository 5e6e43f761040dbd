import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, named, problem } from '../problem.js';

/** How long after the end of its lease a worker is reported, in ms. A reaper removes it earlier. */
const DEAD = 60_000;

/** Workers whose lease has ended are still registered. Not if their jobs are reported as abandoned. */
export function deadWorkers({ readings: { workers = [], stale } }: ReadFacts): FoundProblem[] {
  const dead = workers
    .filter(({ leaseLeft }) => leaseLeft <= -DEAD)
    .toSorted((one, other) => one.leaseLeft - other.leaseLeft);
  const [first] = dead;
  if (!first || (stale && stale.abandonedLanes > 0)) {
    return [];
  }
  const examples = dead.map(({ host, pid }) => `${pid} on ${host}`);
  return [
    problem({
      kind: 'dead-workers',
      severity: 'warning',
      message: `The reaper has not removed ${counted(dead.length, 'dead worker')}: ${named(examples)}`,
      since: ago(-first.leaseLeft),
      count: dead.length,
      examples,
      harm: 'No reaper has run since, so jobs of other workers that die do not run again either.',
      action: 'Start a worker with maintenance, or check why the reaper fails in the logs of the workers.',
    }),
  ];
}

import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, problem } from '../problem.js';

/** Jobs of dead workers are still running, although the reaper should have returned them. */
export function abandonedJobs({ readings: { stale } }: ReadFacts): FoundProblem[] {
  return !stale || stale.abandonedLanes === 0
    ? []
    : [
        problem({
          kind: 'abandoned-jobs',
          severity: 'warning',
          message: `Jobs of dead workers are still running in ${counted(stale.abandonedLanes, 'lane')} of queues.`,
          since: ago(stale.abandonedFor),
          count: stale.abandonedLanes,
          examples: stale.abandonedQueues,
          harm: 'They do not run again, and keep their unique keys and their slots of limits.',
          action: 'Start a worker with maintenance, or check why the reaper fails in the logs of the workers.',
          queues: stale.abandonedQueues,
        }),
      ];
}

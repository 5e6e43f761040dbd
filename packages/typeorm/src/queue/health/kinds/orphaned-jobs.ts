import type { HealthFacts } from '../facts.js';
import { type FoundProblem, counted, problem } from '../problem.js';

/** Jobs are marked as running by a worker of this process, which does not run them. */
export function orphanedJobs({ started }: HealthFacts): FoundProblem[] {
  const found = started.map(({ orphanedJobs: orphaned }) => orphaned).filter(({ count }) => count > 0);
  const count = found.reduce((sum, each) => sum + each.count, 0);
  const since = found.flatMap((each) => each.since ?? []).toSorted((one, other) => one.getTime() - other.getTime());
  return count === 0
    ? []
    : [
        problem({
          kind: 'orphaned-jobs',
          severity: 'warning',
          message: `The worker of this process does not run ${counted(count, 'job')} that it has claimed.`,
          since: since[0],
          count,
          examples: [],
          harm: 'They keep their unique keys and their slots of limits.',
          action:
            'Nothing: the worker returns them. If it happens again, the server loses commits: check its settings.',
        }),
      ];
}

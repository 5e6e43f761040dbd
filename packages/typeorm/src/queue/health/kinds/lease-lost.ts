import type { HealthFacts } from '../facts.js';
import { type FoundProblem, problem } from '../problem.js';

/** A worker of this process has lost its lease. */
export function leaseLost({ started }: HealthFacts): FoundProblem[] {
  const lost = started.filter(({ holdsLease }) => !holdsLease);
  return lost.length === 0
    ? []
    : [
        problem({
          kind: 'lease-lost',
          severity: 'critical',
          message: 'The worker of this process has lost its lease.',
          count: lost.length,
          examples: [],
          harm: 'It claims no jobs, and other workers run the jobs it had.',
          action: 'Nothing, if it lasts for seconds: the worker registers again. Otherwise check its logs.',
          failsCheck: true,
        }),
      ];
}

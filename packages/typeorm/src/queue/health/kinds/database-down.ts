import type { HealthFacts } from '../facts.js';
import { type FoundProblem, problem } from '../problem.js';

/** The database has not answered in time, or with an error. */
export function databaseDown({ readings }: HealthFacts): FoundProblem[] {
  return readings instanceof Error
    ? [
        problem({
          kind: 'database-down',
          severity: 'critical',
          message: readings.message,
          count: 1,
          examples: [],
          harm: 'This process enqueues and runs no jobs.',
          action: 'Check that the database server runs and accepts connections.',
          failsCheck: true,
        }),
      ]
    : [];
}

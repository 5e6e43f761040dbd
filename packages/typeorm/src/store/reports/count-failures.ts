import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import type { JobCount } from './count-jobs.js';

/** Counts the jobs of the history that have failed for good, up to a limit. Index: a small one, read whole. Locks nothing. */
export function* countFailures({ tables }: Dialect, limit: number): Operation<JobCount> {
  const [row] = yield* select<{ jobs: number | string }>(
    `SELECT COUNT(*) AS jobs FROM (SELECT 1 FROM ${tables.failure} LIMIT ${Math.trunc(limit) + 1}) failures`,
  );
  const jobs = Number(row?.jobs ?? 0);
  return { count: Math.min(jobs, limit), isCapped: jobs > limit };
}

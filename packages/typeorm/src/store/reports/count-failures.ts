import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type JobCount, cappedCount } from '../base/jobs/job-count.js';

/** Counts the failed jobs of the history, up to a limit. Index: a small one, read completely. Locks nothing. */
export function* countFailures({ tables }: Dialect, limit: number): Operation<JobCount> {
  const [row] = yield* select<{ jobs: number | string }>(
    sql`SELECT COUNT(*) AS jobs FROM (SELECT 1 FROM ${tables.failure} LIMIT ${sql.integer(limit + 1)}) failures`,
  );
  return cappedCount(Number(row?.jobs ?? 0), limit);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type JobCount, cappedCount } from '../base/jobs/job-count.js';

/** The number of jobs that failed recently. */
export interface RecentFailures {
  readonly total: JobCount;
  /** By queue; if the total is capped, the newest failures of all queues. */
  readonly byQueue: ReadonlyMap<string, number>;
}

/**
 * Counts the jobs that failed within a period and were not retried since, the newest first and up to a limit.
 *
 * Index: the failures by time, which contains the queue, so it costs no more than the limit. Locks nothing.
 *
 * @param period in ms.
 */
export function* countRecentFailures(
  { tables, now, byFailureTime }: Dialect,
  period: number,
  limit: number,
): Operation<RecentFailures> {
  const rows = yield* select<{ queue: string; jobs: number | string }>(
    sql`SELECT recent.queue, COUNT(*) AS jobs FROM (
          SELECT queue FROM ${tables.failure} ${byFailureTime} WHERE finished_at >= ${now} - ${period}
          ORDER BY finished_at DESC, job_id DESC LIMIT ${sql.integer(limit + 1)}
        ) recent GROUP BY recent.queue`,
  );
  const byQueue = new Map(rows.map(({ queue, jobs }) => [queue, Number(jobs)]));
  const count = [...byQueue.values()].reduce((sum, jobs) => sum + jobs, 0);
  return { total: cappedCount(count, limit), byQueue };
}

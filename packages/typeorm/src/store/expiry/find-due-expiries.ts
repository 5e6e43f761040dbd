import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';

/** A row of `tq_expiry`. */
export interface DueExpiry {
  readonly jobId: Buffer;
  readonly checkAt: number;
}

/**
 * The first jobs whose expiry time has passed, started or not. Index: `tq_expiry` by time. It has no entries of jobs
 * without an expiry time. Locks nothing.
 *
 * @param after the last one that was found before.
 */
export function* findDueExpiries({ tables, now }: Dialect, after?: DueExpiry): Operation<DueExpiry[]> {
  const behind = after
    ? sql` AND check_at >= ${after.checkAt} AND (check_at > ${after.checkAt} OR job_id > ${after.jobId})`
    : sql.empty;
  const rows = yield* select<{ job_id: Buffer; check_at: number | string }>(
    sql`SELECT job_id, check_at FROM ${tables.expiry} WHERE check_at <= ${now}${behind}
        ORDER BY check_at, job_id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  return rows.map(({ job_id: jobId, check_at: checkAt }) => ({ jobId, checkAt: Number(checkAt) }));
}

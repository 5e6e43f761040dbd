import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** For each table its id and a column outside the primary key that is never null: see `Dialect.deleteFrom`. */
const COLUMNS = {
  cancellation: { id: sql`job_id`, time: sql`requested_at` },
  error: { id: sql`job_id`, time: sql`failed_at` },
  expiry: { id: sql`job_id`, time: sql`check_at` },
  log: { id: sql`job_id`, time: sql`logged_at` },
  step: { id: sql`job_id`, time: sql`recorded_at` },
  bulkOperation: { id: sql`id`, time: sql`started_at` },
  audit: { id: sql`id`, time: sql`done_at` },
  group: { id: sql`id`, time: sql`created_at` },
} as const;

/**
 * Deletes the rows of jobs in a table, by their ids: fewer than a thousand, see `chunks.ts`. Part of a transaction that
 * has locked the jobs.
 *
 * Errors, steps and logs are found by the first column of their key. At REPEATABLE READ, on the application's connections,
 * this also locks the gaps after them. A worker that stores one there waits for the end of the transaction.
 */
export function* deleteById(
  { tables, deleteFrom }: Dialect,
  table: keyof typeof COLUMNS,
  ids: readonly Buffer[],
): Operation<void> {
  if (ids.length > 0) {
    const { id, time } = COLUMNS[table];
    yield* change(sql`${deleteFrom(tables[table])} WHERE ${id} IN (${sql.list(ids)}) AND ${time} IS NOT NULL`);
  }
}

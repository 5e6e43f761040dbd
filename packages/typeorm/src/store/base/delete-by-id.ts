import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders } from '../../engine/operation.js';

/** For each table its id and a column outside the primary key, which no row is without: see `Dialect.deleteFrom`. */
const COLUMNS = {
  failure: { id: 'job_id', time: 'finished_at' },
  cancellation: { id: 'job_id', time: 'requested_at' },
  error: { id: 'job_id', time: 'failed_at' },
  audit: { id: 'id', time: 'done_at' },
  group: { id: 'id', time: 'created_at' },
} as const;

/**
 * Deletes what a table has of jobs, by their ids; fewer than a thousand, see `in-parts.ts`. Part of a transaction that has
 * locked the jobs.
 *
 * Errors are found by a part of their key: at REPEATABLE READ, which the application's connection may have, the gaps
 * behind them are locked too, and a worker that keeps an error there waits for the end of the batch.
 */
export function* deleteById(
  { tables, deleteFrom }: Dialect,
  table: keyof typeof COLUMNS,
  ids: readonly Buffer[],
): Operation<void> {
  if (ids.length > 0) {
    const { id, time } = COLUMNS[table];
    yield* change(`${deleteFrom(tables[table])} WHERE ${id} IN (${placeholders(ids)}) AND ${time} IS NOT NULL`, ids);
  }
}

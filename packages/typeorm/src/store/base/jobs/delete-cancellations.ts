import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { deleteById } from '../delete-by-id.js';

/**
 * Deletes the requests to cancel some jobs. Part of the transaction that replaces or retries them.
 *
 * Index: the primary key. A read without locks comes first: there are usually no requests, and a locking read would
 * block new ones.
 */
export function* deleteCancellations(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  const found = yield* select<{ job_id: Buffer }>(
    sql`SELECT job_id FROM ${dialect.tables.cancellation} WHERE job_id IN (${sql.list(ids)})`,
  );
  const requested = found.map(({ job_id: id }) => id);
  yield* deleteById(dialect, 'cancellation', requested);
}

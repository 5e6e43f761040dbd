import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/**
 * Records jobs whose last attempt failed. Only inside the transaction that writes them to the history, whose row has
 * the time: every operation that changes one of the two rows changes both.
 *
 * Index: the history's primary key. Locks: the new rows.
 */
export function* recordFailures({ tables, byPrimaryKey }: Dialect, ids: readonly Buffer[]): Operation<void> {
  yield* change(
    sql`INSERT INTO ${tables.failure} (job_id, queue, finished_at)
        SELECT id, queue, finished_at FROM ${tables.history} ${byPrimaryKey} WHERE id IN (${sql.list(ids)})`,
  );
}

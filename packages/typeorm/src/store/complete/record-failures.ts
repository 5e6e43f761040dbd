import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders } from '../../engine/operation.js';

/**
 * Notes jobs that have failed for good. Only inside the transaction that writes them to the history, whose row says
 * when: whoever changes one of the two rows changes both.
 *
 * Index: the history's primary key. Locks: the new rows.
 */
export function* recordFailures({ tables, byPrimaryKey }: Dialect, ids: readonly Buffer[]): Operation<void> {
  yield* change(
    `INSERT INTO ${tables.failure} (job_id, queue, finished_at)
     SELECT id, queue, finished_at FROM ${tables.history} ${byPrimaryKey} WHERE id IN (${placeholders(ids)})`,
    ids,
  );
}

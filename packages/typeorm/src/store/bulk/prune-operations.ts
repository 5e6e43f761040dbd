import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/**
 * Deletes the operations that ended before a time. Index: the states; people start few operations, so all that have
 * ended are read. Locks: the rows it reads, which no longer change.
 */
export function* pruneOperations({ tables, deleteFrom }: Dialect, before: number): Operation<void> {
  yield* change(
    sql`${deleteFrom(tables.bulkOperation)} WHERE state IN ('done', 'stopped') AND finished_at < ${before}`,
  );
}

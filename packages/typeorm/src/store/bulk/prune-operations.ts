import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { deleteById } from '../base/delete-by-id.js';

/**
 * Deletes the operations that ended before a time.
 *
 * Index: the states; people start few operations, so all that have ended are read, without locks. A DELETE that looks
 * for them would wait for the row of an operation whose step is under way. Then the primary key. Locks: the deleted
 * rows, which no longer change. If the process dies, the next run deletes the rest. A second run changes nothing.
 */
export function* pruneOperations(dialect: Dialect, before: number): Operation<void> {
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${dialect.tables.bulkOperation}
        WHERE state IN ('done', 'stopped') AND finished_at < ${before} ORDER BY id`,
  );
  for (const chunk of chunksOf(rows, MOST_IDS)) {
    yield* deleteById(
      dialect,
      'bulkOperation',
      chunk.map(({ id }) => id),
    );
  }
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { BulkCursor, BulkRow } from './bulk-row.js';

/**
 * Locks the row of an operation, if it still runs and is where the caller has found it. Part of the transaction that
 * changes the next jobs; it comes before their locks. So of two processes at the same position one does the work, and
 * nothing is done after a stop.
 *
 * Index and lock: the primary key.
 */
export function* lockOperation(
  { tables, forUpdate }: Dialect,
  { id, cursor }: Pick<BulkRow, 'id' | 'cursor'>,
): Operation<boolean> {
  const rows = yield* select(
    sql`SELECT id FROM ${tables.bulkOperation}
        WHERE id = ${id} AND state = 'running' AND cursor_at = ${cursor.at} AND cursor_id = ${cursor.id} ${forUpdate}`,
  );
  return rows.length > 0;
}

/**
 * Moves an operation on after its jobs were changed: its counters and its position, or its end. Part of that
 * transaction, which has locked the row.
 *
 * @param next the position of the last job; undefined after the last one.
 */
export function* advanceOperation(
  { tables, now }: Dialect,
  id: Buffer,
  { changed, skipped }: { readonly changed: number; readonly skipped: number },
  next: BulkCursor | undefined,
): Operation<void> {
  const end = next ? sql`cursor_at = ${next.at}, cursor_id = ${next.id}` : sql`state = 'done', finished_at = ${now}`;
  yield* change(
    sql`UPDATE ${tables.bulkOperation}
        SET changed = changed + ${changed}, skipped = skipped + ${skipped}, advanced_at = ${now}, ${end}
        WHERE id = ${id}`,
  );
}

/** Stores that a process works on an operation, and how many jobs match if that is known now. */
export function* touchOperation(
  { tables, now }: Dialect,
  id: Buffer,
  counted?: { readonly count: number; readonly isCapped: boolean },
): Operation<void> {
  const total = counted ? sql`, total = ${counted.count}, is_capped = ${counted.isCapped ? 1 : 0}` : sql.empty;
  yield* change(
    sql`UPDATE ${tables.bulkOperation} SET advanced_at = ${now} ${total} WHERE id = ${id} AND state = 'running'`,
  );
}

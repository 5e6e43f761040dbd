import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { MOST_IDS } from '../chunks.js';
import { type KeyRow, deleteUniqueKeys, keyColumns, lockAvailableKeys, toLockedKey } from './unique-keys.js';

/**
 * Deletes unique keys that were held only by a window that has ended: one batch. It only saves space: an enqueue takes
 * such a key as if it were not there. Part of a transaction; does nothing the second time.
 *
 * Index: that of the windows, without locks; then the primary key, skipping the keys that an enqueue has locked.
 *
 * @returns whether there may be more.
 */
export function* deleteExpiredWindows(dialect: Dialect): Operation<boolean> {
  const { unique } = dialect.tables;
  const isOver = sql`lasts = 'window' AND window_until <= ${dialect.now}`;
  const found = yield* select<KeyRow>(
    sql`SELECT ${keyColumns(dialect)} FROM ${unique} WHERE ${isOver}
        ORDER BY window_until LIMIT ${sql.integer(MOST_IDS)}`,
  );
  if (found.length === 0) {
    return false;
  }
  const locked = yield* lockAvailableKeys(dialect, found.map(toLockedKey), isOver);
  if (locked.length > 0) {
    yield* deleteUniqueKeys(dialect, locked);
  }
  return found.length === MOST_IDS && locked.length > 0;
}

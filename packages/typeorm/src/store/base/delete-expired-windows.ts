import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { MOST_IDS } from './chunks.js';
import { type KeyRow, deleteUniqueKeys, keyColumns, lockFreeKeys, toLockedKey } from './unique-keys.js';

/**
 * Deletes unique keys that only their window has held, and that is over: one batch. Only saves room: an enqueue takes
 * such a key as if it were not there. Part of a transaction; does nothing the second time.
 *
 * Index: that of the windows, without locks; then the primary key, passing over what an enqueue has locked just now.
 *
 * @returns whether there may be more.
 */
export function* deleteExpiredWindows(dialect: Dialect): Operation<boolean> {
  const { unique } = dialect.tables;
  const isOver = `lasts = 'window' AND window_until <= ${dialect.now}`;
  const found = yield* select<KeyRow>(
    `SELECT ${keyColumns(dialect)} FROM ${unique} WHERE ${isOver} ORDER BY window_until LIMIT ${MOST_IDS}`,
  );
  if (found.length === 0) {
    return false;
  }
  const locked = yield* lockFreeKeys(dialect, found.map(toLockedKey), isOver);
  if (locked.length > 0) {
    yield* deleteUniqueKeys(dialect, locked);
  }
  return found.length === MOST_IDS && locked.length > 0;
}

import type { Dialect, LockedRowCache } from '../../engine/dialect.js';
import { type Operation, type Row, type Statement, select } from '../../engine/operation.js';

/** How often one call waits for rows by themselves: with the wait for all of them it takes three seconds at most. */
const MOST_WAITS = 2;

/** A SELECT of rows by their primary keys, with what stands behind it to lock them. */
export type LockingSelect<Key> = (keys: readonly Key[], locking: string) => Statement;

/** Locks all of some rows. Part of a transaction. */
export function* lockAll<Key, Found = Row>(
  keys: readonly Key[],
  lock: LockingSelect<Key>,
  locking: string,
): Operation<readonly Found[]> {
  if (keys.length === 0) {
    return [];
  }
  const { sql, parameters } = lock(keys, locking);
  return yield* select<Found>(sql, parameters);
}

/**
 * Locks rows by their primary keys, but not those that somebody else has locked: what a transaction of the application's
 * holds is passed over. Part of a transaction.
 *
 * Servers without SKIP LOCKED do not tell which rows are locked, other than by a wait that ends after a second. There,
 * on a worker's connections, all rows are locked at once, and where that ends in a wait each by itself. A row that was
 * waited for in vain is left out for some seconds, so that it holds up one call and not each; after two of them so is all
 * that is left of the call. On the application's own connections such a server waits as long as the application says.
 *
 * @param nameOf tells a row from all others of all tables.
 */
export function* lockSkippingLocked<Key, Found = Row>(
  dialect: Dialect,
  keys: readonly Key[],
  nameOf: (key: Key) => string,
  lock: LockingSelect<Key>,
): Operation<readonly Found[]> {
  const { lockedRows } = dialect;
  if (!lockedRows) {
    return yield* lockAll<Key, Found>(keys, lock, dialect.forUpdateSkipLocked);
  }
  const open = keys.filter((key) => !lockedRows.has(nameOf(key)));
  if (open.length === 0) {
    return [];
  }
  const found = yield* tryToLock<Key, Found>(dialect, lockedRows, open, lock);
  return found ?? (yield* lockEach<Key, Found>(dialect, lockedRows, open, nameOf, lock));
}

function* lockEach<Key, Found>(
  dialect: Dialect,
  heldRows: LockedRowCache,
  keys: readonly Key[],
  nameOf: (key: Key) => string,
  lock: LockingSelect<Key>,
): Operation<readonly Found[]> {
  const locked: Found[] = [];
  let waits = 0;
  for (const key of keys) {
    // The only one has been waited for already.
    const found =
      waits < MOST_WAITS && keys.length > 1 ? yield* tryToLock<Key, Found>(dialect, heldRows, [key], lock) : undefined;
    if (found) {
      locked.push(...found);
    } else {
      waits++;
      heldRows.note(nameOf(key));
    }
  }
  return locked;
}

/**
 * Undefined after a wait. The server undoes the statement then, or the whole transaction where it is set up so: then
 * there is no savepoint any more, and the operation ends with the error.
 */
function* tryToLock<Key, Found>(
  dialect: Dialect,
  heldRows: LockedRowCache,
  keys: readonly Key[],
  lock: LockingSelect<Key>,
): Operation<readonly Found[] | undefined> {
  yield [{ sql: 'SAVEPOINT tq_lock', parameters: [] }];
  try {
    return yield* lockAll<Key, Found>(keys, lock, dialect.forUpdateSkipLocked);
  } catch (error) {
    if (!heldRows.isWait(error)) {
      throw error;
    }
    try {
      yield [{ sql: 'ROLLBACK TO SAVEPOINT tq_lock', parameters: [] }];
    } catch {
      throw error;
    }
    return undefined;
  }
}

import type { Dialect, LockedRowCache } from '../../../engine/dialect.js';
import { type Operation, type Row, select } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';

/** How many single rows one call waits for: with the wait for all rows together it takes three seconds at most. */
const MOST_WAITS = 2;

const SAVEPOINT = sql`SAVEPOINT tq_lock`;
const ROLLBACK_TO_SAVEPOINT = sql`ROLLBACK TO SAVEPOINT tq_lock`;

/** What to do with a row that another transaction has locked. */
export type WhenLocked = 'skip' | 'wait';

/** A SELECT of rows by their primary keys, with the clause that locks them. */
export type LockingSelect<Key> = (keys: readonly Key[], locking: Fragment) => Fragment;

/** Locks rows, and waits for those that are locked. Part of a transaction. */
export function* lockAll<Key, Found = Row>(
  keys: readonly Key[],
  lock: LockingSelect<Key>,
  locking: Fragment,
): Operation<readonly Found[]> {
  return keys.length === 0 ? [] : yield* select<Found>(lock(keys, locking));
}

/**
 * Locks rows by their primary keys, skipping those that another transaction has locked. Part of a transaction.
 *
 * Servers without SKIP LOCKED show a lock only by a wait, which ends after a second on a worker's connections. There
 * all rows are locked with one statement, and after a timeout one by one. A row that timed out is skipped for some
 * seconds; after two such rows, so are the rest of the call. On the application's connections such a server waits as
 * long as the application's settings define. See docs/decisions/0009.
 *
 * @param nameOf returns a name for a row that is unique over all tables.
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
  const found = yield* tryToLock<Key, Found>(dialect, open, lock);
  return found ?? (yield* lockEach<Key, Found>(dialect, lockedRows, open, nameOf, lock));
}

function* lockEach<Key, Found>(
  dialect: Dialect,
  lockedRows: LockedRowCache,
  keys: readonly Key[],
  nameOf: (key: Key) => string,
  lock: LockingSelect<Key>,
): Operation<readonly Found[]> {
  const locked: Found[] = [];
  let waits = 0;
  for (const key of keys) {
    // A single key has timed out already.
    const found =
      waits < MOST_WAITS && keys.length > 1 ? yield* tryToLock<Key, Found>(dialect, [key], lock) : undefined;
    if (found) {
      locked.push(...found);
    } else {
      waits++;
      lockedRows.add(nameOf(key));
    }
  }
  return locked;
}

/**
 * Undefined after a lock wait timeout. The server rolls back the statement, or with `innodb_rollback_on_timeout` the
 * whole transaction: then the savepoint is gone and the operation fails with the error.
 */
function* tryToLock<Key, Found>(
  dialect: Dialect,
  keys: readonly Key[],
  lock: LockingSelect<Key>,
): Operation<readonly Found[] | undefined> {
  yield [SAVEPOINT];
  try {
    return yield* lockAll<Key, Found>(keys, lock, dialect.forUpdateSkipLocked);
  } catch (error) {
    if (!dialect.isLockWaitTimeout(error)) {
      throw error;
    }
    try {
      yield [ROLLBACK_TO_SAVEPOINT];
    } catch {
      throw error;
    }
    return undefined;
  }
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';

/*
 * Named locks as rows of `tq_lock`, found by their primary key. A lock whose lease has ended, by the database's clock, is
 * free, whether or not its row is there; if its holder dies it is free a lease later. All but the look change one row.
 */

/** Whether somebody holds a lock. Only reads: those who wait leave no trace. */
export function* isLockTaken(dialect: Dialect, name: string): Operation<boolean> {
  const rows = yield* select(`SELECT 1 FROM ${dialect.tables.lock} WHERE name = ? AND lease_until > ${dialect.now}`, [
    name,
  ]);
  return rows.length > 0;
}

/**
 * Takes a lock that is free. The same holder may take it twice: its first try may have taken effect without an answer.
 *
 * @returns whether it is the holder's.
 */
export function* takeLock(dialect: Dialect, name: string, holder: string, lease: number): Operation<boolean> {
  const { lock } = dialect.tables;
  yield* change(`${dialect.insertIgnore} ${lock} (name, holder, lease_until) VALUES (?, '', 0)`, [name]);
  const taken = yield* change(
    `UPDATE ${lock} SET holder = ?, lease_until = ${dialect.now} + ?
     WHERE name = ? AND (holder = ? OR lease_until <= ${dialect.now})`,
    [holder, lease, name, holder],
  );
  return taken === 1;
}

/** Renews a lease that has not ended: somebody else may have the lock already, or have had it. */
export function* renewLock(dialect: Dialect, name: string, holder: string, lease: number): Operation<boolean> {
  const renewed = yield* change(
    `UPDATE ${dialect.tables.lock} SET lease_until = ${dialect.now} + ?
     WHERE name = ? AND holder = ? AND lease_until > ${dialect.now}`,
    [lease, name, holder],
  );
  return renewed === 1;
}

/** Frees a lock, and removes its row. @returns whether the holder still had it. */
export function* freeLock(dialect: Dialect, name: string, holder: string): Operation<boolean> {
  const { lock } = dialect.tables;
  const mine = [name, holder];
  const rows = yield* select<{ held: number | string }>(
    `SELECT lease_until > ${dialect.now} AS held FROM ${lock} WHERE name = ? AND holder = ?`,
    mine,
  );
  yield* change(`DELETE FROM ${lock} WHERE name = ? AND holder = ?`, mine);
  return rows.some(({ held }) => Number(held) === 1);
}

import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';

/*
 * Named locks as rows of `tq_lock`, found by their primary key. A lock is free when its lease has ended by the
 * database's clock, whether or not its row is there. If the holder dies, the lock is free when its lease ends. Each
 * operation but `isLockTaken` changes one row.
 */

/** Whether a lock is held. Only reads: a process that waits leaves no trace. */
export function* isLockTaken(dialect: Dialect, name: string): Operation<boolean> {
  const rows = yield* select(
    sql`SELECT 1 FROM ${dialect.tables.lock} WHERE name = ${name} AND lease_until > ${dialect.now}`,
  );
  return rows.length > 0;
}

/**
 * Takes a lock that is free. The same holder may take it twice: the answer to its first try may have been lost.
 *
 * @returns whether the holder has it now.
 */
export function* takeLock(dialect: Dialect, name: string, holder: string, lease: number): Operation<boolean> {
  const { lock } = dialect.tables;
  yield* change(sql`${dialect.insertIgnore} ${lock} (name, holder, lease_until) VALUES (${name}, '', 0)`);
  const taken = yield* change(
    sql`UPDATE ${lock} SET holder = ${holder}, lease_until = ${dialect.now} + ${lease}
        WHERE name = ${name} AND (holder = ${holder} OR lease_until <= ${dialect.now})`,
  );
  return taken === 1;
}

/** Renews a lease that has not ended: after its end another process may have taken the lock. */
export function* renewLock(dialect: Dialect, name: string, holder: string, lease: number): Operation<boolean> {
  const renewed = yield* change(
    sql`UPDATE ${dialect.tables.lock} SET lease_until = ${dialect.now} + ${lease}
        WHERE name = ${name} AND holder = ${holder} AND lease_until > ${dialect.now}`,
  );
  return renewed === 1;
}

/** Frees a lock, and removes its row. @returns whether the holder still had it. */
export function* freeLock(dialect: Dialect, name: string, holder: string): Operation<boolean> {
  const { lock } = dialect.tables;
  const isOwn = sql`name = ${name} AND holder = ${holder}`;
  const rows = yield* select<{ held: number | string }>(
    sql`SELECT lease_until > ${dialect.now} AS held FROM ${lock} WHERE ${isOwn}`,
  );
  yield* change(sql`DELETE FROM ${lock} WHERE ${isOwn}`);
  return rows.some(({ held }) => Number(held) === 1);
}

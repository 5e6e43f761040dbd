import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/**
 * Mutes an error for a time, and deletes the rows of mutes that have ended. Part of a transaction.
 *
 * Index and locks: it reads the whole table, which is small, because people mute few errors, and locks rows by the
 * primary key. A second run moves the end.
 *
 * @param duration in ms.
 * @returns when it ends.
 */
export function* muteError(dialect: Dialect, fingerprint: string, duration: number): Operation<number> {
  const { tables, now, onConflictUpdate, newValue } = dialect;
  const ended = yield* select<{ fingerprint: string }>(
    sql`SELECT fingerprint FROM ${tables.mutedError} WHERE muted_until <= ${now}`,
  );
  if (ended.length > 0) {
    // By key: an application's session may have sql_safe_updates.
    const keys = sql.list(ended.map((each) => each.fingerprint));
    yield* change(sql`DELETE FROM ${tables.mutedError} WHERE fingerprint IN (${keys}) AND muted_until <= ${now}`);
  }
  yield* change(
    sql`INSERT INTO ${tables.mutedError} (fingerprint, muted_until) VALUES (${fingerprint}, ${now} + ${duration})
        ${onConflictUpdate(sql`fingerprint`)} muted_until = ${newValue(sql`muted_until`)}`,
  );
  const rows = yield* select<{ muted_until: number | string }>(
    sql`SELECT muted_until FROM ${tables.mutedError} WHERE fingerprint = ${fingerprint}`,
  );
  return Number(rows[0]?.muted_until);
}

/** Ends a mute. Index and lock: the primary key. Returns whether the error was muted. */
export function* unmuteError({ tables, now }: Dialect, fingerprint: string): Operation<boolean> {
  const deleted = yield* change(
    sql`DELETE FROM ${tables.mutedError} WHERE fingerprint = ${fingerprint} AND muted_until > ${now}`,
  );
  return deleted === 1;
}

/** Finds the muted errors, each with its end in ms. It reads the whole table, and locks nothing. */
export function* findMutedErrors({ tables, now }: Dialect): Operation<Map<string, number>> {
  const rows = yield* select<{ fingerprint: string; muted_until: number | string }>(
    sql`SELECT fingerprint, muted_until FROM ${tables.mutedError} WHERE muted_until > ${now}`,
  );
  return new Map(rows.map(({ fingerprint, muted_until: until }) => [fingerprint, Number(until)]));
}

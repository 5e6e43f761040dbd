import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** Deletes the row of a subscription. Index: the names. Locks: the row. @returns whether there was one. */
export function* deleteSubscription({ tables }: Dialect, event: string, name: string): Operation<boolean> {
  const deleted = yield* change(sql`DELETE FROM ${tables.subscription} WHERE event = ${event} AND name = ${name}`);
  return deleted > 0;
}

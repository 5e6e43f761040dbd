import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** Whether an event has a subscription of this name. Index: the names. Locks nothing. */
export function* hasSubscription({ tables }: Dialect, event: string, name: string): Operation<boolean> {
  const rows = yield* select(sql`SELECT 1 FROM ${tables.subscription} WHERE event = ${event} AND name = ${name}`);
  return rows.length > 0;
}

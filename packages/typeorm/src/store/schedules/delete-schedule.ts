import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** Deletes a schedule; returns whether it existed. Index and lock: the primary key. */
export function* deleteSchedule({ tables }: Dialect, name: string): Operation<boolean> {
  return (yield* change(sql`DELETE FROM ${tables.schedule} WHERE name = ${name}`)) === 1;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** Reads the names of all schedules, in their order. Index: the primary key. Locks nothing. */
export function* findScheduleNames({ tables }: Dialect): Operation<string[]> {
  const rows = yield* select<{ name: string }>(sql`SELECT name FROM ${tables.schedule} ORDER BY name`);
  return rows.map(({ name }) => name);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { SCHEDULE_COLUMNS, type StoredSchedule, toSchedule } from './schedule-row.js';

/** Reads a schedule and locks its row until the transaction ends. Index: the primary key. */
export function* lockSchedule({ tables, forUpdate }: Dialect, name: string): Operation<StoredSchedule | undefined> {
  const rows = yield* select(sql`SELECT ${SCHEDULE_COLUMNS} FROM ${tables.schedule} WHERE name = ${name} ${forUpdate}`);
  return rows.map(toSchedule)[0];
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { SCHEDULE_COLUMNS, type StoredSchedule, toSchedule } from './schedule-row.js';

/** Reads all schedules, or the one with a name. Index: the primary key. Locks nothing. */
export function* findSchedules({ tables }: Dialect, name?: string): Operation<StoredSchedule[]> {
  const where = name === undefined ? sql.empty : sql`WHERE name = ${name}`;
  const rows = yield* select(sql`SELECT ${SCHEDULE_COLUMNS} FROM ${tables.schedule} ${where} ORDER BY name`);
  return rows.map(toSchedule);
}

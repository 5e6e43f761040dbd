import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { SCHEDULE_COLUMNS, type StoredSchedule, toSchedule } from './schedule-row.js';

/** Reads all schedules, or those with some names, by name. Index: the primary key. Locks nothing. */
export function* findSchedules({ tables }: Dialect, names?: readonly string[]): Operation<StoredSchedule[]> {
  if (names?.length === 0) {
    return [];
  }
  const where = names === undefined ? sql.empty : sql`WHERE name IN (${sql.list(names)})`;
  const rows = yield* select(sql`SELECT ${SCHEDULE_COLUMNS} FROM ${tables.schedule} ${where} ORDER BY name`);
  return rows.map(toSchedule);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { SCHEDULES_PER_READ, SCHEDULE_COLUMNS, type StoredSchedule, toSchedule } from './schedule-row.js';

/** The position of a schedule among the due ones. */
export type DueCursor = Pick<StoredSchedule, 'name' | 'nextFireAt'>;

/**
 * Reads the next schedules that are due at a time. Index: `schedule_due`. Locks nothing: `changeSchedule` checks that a
 * schedule is unchanged.
 */
export function* findDueSchedules(
  { tables }: Dialect,
  time: number,
  after: DueCursor | undefined,
): Operation<StoredSchedule[]> {
  const tick = after?.nextFireAt ?? -1;
  const rows = yield* select(
    sql`SELECT ${SCHEDULE_COLUMNS} FROM ${tables.schedule}
        WHERE next_fire_at <= ${time}
          AND (next_fire_at > ${tick} OR (next_fire_at = ${tick} AND name > ${after?.name ?? ''}))
        ORDER BY next_fire_at, name LIMIT ${sql.integer(SCHEDULES_PER_READ)}`,
  );
  return rows.map(toSchedule);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { SCHEDULES_PER_READ, SCHEDULE_COLUMNS, type StoredSchedule, toSchedule } from './schedule-row.js';

/** A page of schedules, and the time by the database's clock. */
export interface SchedulesAhead {
  readonly now: number;
  readonly schedules: readonly StoredSchedule[];
  /** The name to continue after; undefined if these are all. */
  readonly last: string | undefined;
}

/**
 * Reads schedules whose next tick may have been calculated while the clock was ahead: they have fired in the future, or
 * their next tick is further away than their interval. With `all`, reads all that have a next tick.
 *
 * Index: the primary key. Reads all schedules. Locks nothing: `changeSchedule` checks that a schedule is unchanged.
 */
export function* findSchedulesAhead({ tables, now }: Dialect, all: boolean, after: string): Operation<SchedulesAhead> {
  const isAhead = all
    ? sql`TRUE`
    : sql`(last_fire_at > ${now} OR last_skipped_at > ${now} OR next_fire_at > ${now} + every_ms)`;
  const rows = yield* select(
    sql`SELECT ${SCHEDULE_COLUMNS}, ${now} AS present FROM ${tables.schedule}
        WHERE name > ${after} AND next_fire_at > ${now} AND ${isAhead}
        ORDER BY name LIMIT ${sql.integer(SCHEDULES_PER_READ)}`,
  );
  const schedules = rows.map(toSchedule);
  return {
    now: Number(rows[0]?.present),
    schedules,
    last: schedules.length === SCHEDULES_PER_READ ? schedules.at(-1)?.name : undefined,
  };
}

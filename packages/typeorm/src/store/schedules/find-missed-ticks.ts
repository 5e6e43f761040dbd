import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** Schedules that have not fired when they were due. */
export interface MissedTicks {
  readonly count: number;
  /** Up to three of them, the longest due first. `lateBy` in ms. */
  readonly first: readonly { readonly name: string; readonly queue: string; readonly lateBy: number }[];
}

/** How long a tick may be due before it counts as missed, in ms. A worker fires it within 30 s. */
const MISSED = 2 * 60_000;

/** Counts the schedules with a missed tick. Index: `schedule_due`. Locks nothing. */
export function* findMissedTicks({ tables, now }: Dialect): Operation<MissedTicks> {
  const isMissed = sql`next_fire_at <= ${now} - ${sql.integer(MISSED)}`;
  const [row] = yield* select<{ count: number | string }>(
    sql`SELECT COUNT(*) AS count FROM ${tables.schedule} WHERE ${isMissed}`,
  );
  const count = Number(row?.count);
  if (count === 0) {
    return { count, first: [] };
  }
  const rows = yield* select<{ name: string; queue: string; late_by: number | string }>(
    sql`SELECT name, queue, ${now} - next_fire_at AS late_by FROM ${tables.schedule} WHERE ${isMissed}
        ORDER BY next_fire_at, name LIMIT 3`,
  );
  return { count, first: rows.map(({ name, queue, late_by: lateBy }) => ({ name, queue, lateBy: Number(lateBy) })) };
}

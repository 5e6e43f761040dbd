import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** The present time and the next tick of all schedules, in ms. */
export interface NextTick {
  readonly now: number;
  /** Infinity if no schedule has a next tick. */
  readonly earliest: number;
}

/**
 * Reads the present time and the next tick. Index: the first entry of `schedule_due` that is not null. Locks nothing.
 */
export function* findNextTick({ tables, now }: Dialect): Operation<NextTick> {
  const [row] = yield* select<{ present: number | string; earliest: number | string | null }>(
    sql`SELECT ${now} AS present, MIN(next_fire_at) AS earliest FROM ${tables.schedule}`,
  );
  return { now: Number(row?.present), earliest: Number(row?.earliest ?? Infinity) };
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { IS_LIVE } from '../base/order/lane.js';
import type { StoredSchedule } from './schedule-row.js';

/** Whether the schedule forbids overlaps and its last job is unfinished. Index: the primary key. Locks nothing. */
export function* isOverlapping({ tables }: Dialect, { overlap, lastJobId }: StoredSchedule): Operation<boolean> {
  if (overlap || lastJobId === null) {
    return false;
  }
  return (yield* select(sql`SELECT 1 FROM ${tables.job} WHERE id = ${lastJobId} AND ${IS_LIVE}`)).length > 0;
}

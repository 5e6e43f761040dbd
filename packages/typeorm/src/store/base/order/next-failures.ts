import type { Dialect } from '../../../engine/dialect.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import { AFTER_ALL_FAILURES, type FailureCursor, firstFailureAt } from './failure-cursor.js';

/**
 * The failures of a queue, or of all with null, within a time: from the first bound on and before the second, in ms.
 */
export interface FailureRange {
  readonly queue: string | null;
  readonly from: number;
  readonly before: number;
}

export interface FailureOrder {
  readonly start: FailureCursor;
  /** The operator that compares a later position with an earlier one. */
  readonly beyond: Fragment;
  readonly order: Fragment;
}

/** From the oldest failure to the newest. */
export const OLDEST_FIRST: FailureOrder = { start: firstFailureAt(0), beyond: sql`>`, order: sql`ASC` };

/** From the newest failure to the oldest. */
export const NEWEST_FIRST: FailureOrder = { start: AFTER_ALL_FAILURES, beyond: sql`<`, order: sql`DESC` };

/**
 * A SELECT of the next failures in a range, with the columns `finished_at` and `job_id`. Index: the failures by time,
 * or by queue and time, from a position on.
 */
export function selectNextFailures(
  { tables, byFailureTime, byFailureQueue }: Dialect,
  { queue, from, before }: FailureRange,
  { beyond, order }: FailureOrder,
  { finishedAt, id }: FailureCursor,
  limit: number,
): Fragment {
  const index = queue === null ? byFailureTime : byFailureQueue;
  const isInQueue = queue === null ? sql.empty : sql`queue = ${queue} AND`;
  return sql`SELECT finished_at, job_id FROM ${tables.failure} ${index}
             WHERE ${isInQueue} finished_at >= ${from} AND finished_at < ${before}
               AND finished_at ${beyond}= ${finishedAt}
               AND (finished_at ${beyond} ${finishedAt} OR job_id ${beyond} ${id})
             ORDER BY finished_at ${order}, job_id ${order} LIMIT ${sql.integer(limit)}`;
}

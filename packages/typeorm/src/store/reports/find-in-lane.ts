import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { LiveState, Outcome } from '../../tables/job.js';
import { MOST_IDS } from '../base/chunks.js';
import { sortKeyCondition } from '../base/order/sort-key-condition.js';
import type { SortKey } from '../base/order/sort-key.js';

/** A lane of a queue. */
export interface LaneOfQueue {
  readonly queue: string;
  readonly state: LiveState | Outcome;
  readonly lane: number;
}

/** Finds the lanes of a queue. Index: jumps from lane to lane, whatever their lengths. Locks nothing. */
export function* lanesOf(dialect: Dialect, queue: string): Operation<LaneOfQueue[]> {
  const rows = yield* select<{ state: LiveState | Outcome; lane: number | string }>(
    sql`SELECT lanes.state, lanes.lane FROM (${dialect.lanes}) lanes WHERE lanes.queue = ${queue}`,
  );
  return rows.map(({ state, lane }) => ({ queue, state, lane: Number(lane) }));
}

export interface LanePage {
  /** The end of the page; undefined on the last page. */
  readonly end: SortKey | undefined;
  /** The matching jobs. */
  readonly jobs: readonly SortKey[];
}

/**
 * Finds the matching ones among the next jobs of a lane. Index: the lane, from a position on; reads each job's row.
 * Locks nothing: an action on these jobs must check them again.
 *
 * @param condition on the jobs' rows.
 * @param before only positions before this one.
 */
export function* findInLane(
  dialect: Dialect,
  { queue, state, lane }: LaneOfQueue,
  condition: Fragment,
  after: SortKey,
  before = Number.MAX_SAFE_INTEGER,
): Operation<LanePage> {
  const rows = yield* select<{ id: Buffer; position: number | string; wanted: number | string }>(
    sql`SELECT id, position, (${condition}) AS wanted FROM ${dialect.tables.job} ${dialect.byLane}
        WHERE queue = ${queue} AND state = ${state} AND lane = ${lane} AND ${sortKeyCondition(dialect, '>', after)}
          AND position < ${before}
        ORDER BY position, id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  const jobs = rows.map(({ id, position, wanted }) => ({
    id,
    position: Number(position),
    isWanted: Number(wanted) === 1,
  }));
  return {
    end: rows.length === MOST_IDS ? jobs.at(-1) : undefined,
    jobs: jobs.filter(({ isWanted }) => isWanted),
  };
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { LiveState } from '../../tables/job.js';
import { sortKeyCondition } from '../base/order/sort-key-condition.js';
import { MOST_IDS } from '../base/chunks.js';
import type { SortKey } from '../base/order/sort-key.js';

export interface LiveLane {
  readonly state: LiveState;
  readonly owner: number;
}

export interface LiveFilter {
  readonly queue: string;
  readonly name: string | null;
  /** The least time since their creation, in ms. */
  readonly age: number;
}

/** Finds the lanes of a queue. Index: jumps from lane to lane, whatever their lengths. Locks nothing. */
export function* lanesOf(dialect: Dialect, queue: string): Operation<LiveLane[]> {
  const rows = yield* select<{ state: LiveState; owner: number | string }>(
    sql`SELECT lanes.state, lanes.owner FROM (${dialect.lanes}) lanes WHERE lanes.queue = ${queue}`,
  );
  return rows.map(({ state, owner }) => ({ state, owner: Number(owner) }));
}

export interface LanePage {
  /** The end of the page; undefined on the last page. */
  readonly end: SortKey | undefined;
  /** The ids of the matching jobs. */
  readonly ids: readonly Buffer[];
}

/**
 * Finds the matching ones among the next jobs of a lane. Index: the lane, from a position on; reads each job's row.
 * Locks nothing: an action on these jobs must check them again.
 */
export function* findInLane(
  dialect: Dialect,
  { queue, name, age }: LiveFilter,
  { state, owner }: LiveLane,
  after: SortKey,
): Operation<LanePage> {
  const isNamed = name === null ? sql.empty : sql`AND name = ${name}`;
  const rows = yield* select<{ id: Buffer; position: number | string; wanted: number | string }>(
    sql`SELECT id, position, (created_at <= ${dialect.now} - ${age} ${isNamed}) AS wanted
        FROM ${dialect.tables.job} ${dialect.byLane}
        WHERE queue = ${queue} AND state = ${state} AND owner = ${owner} AND ${sortKeyCondition(dialect, '>', after)}
        ORDER BY position, id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  const last = rows.at(-1);
  return {
    end: last && rows.length === MOST_IDS ? { position: Number(last.position), id: last.id } : undefined,
    ids: rows.filter(({ wanted }) => Number(wanted) === 1).map(({ id }) => id),
  };
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import type { LiveState } from '../../tables/job.js';
import { afterSortKey } from '../base/after-sort-key.js';
import { MOST_IDS } from '../base/chunks.js';
import type { SortKey } from '../base/sort-key.js';

/** A lane that has jobs. */
export interface LiveLane {
  readonly state: LiveState;
  readonly owner: number;
}

/** Which live jobs are wanted. */
export interface LiveFilter {
  readonly queue: string;
  readonly name: string | null;
  /** Created at least so many ms ago. */
  readonly age: number;
}

/** The lanes of a queue. Index: from lane to lane, whatever their lengths. Locks nothing. */
export function* lanesOf(dialect: Dialect, queue: string): Operation<LiveLane[]> {
  const rows = yield* select<{ state: LiveState; owner: number | string }>(
    `SELECT lanes.state, lanes.owner FROM (${dialect.lanes}) lanes WHERE lanes.queue = ?`,
    [queue],
  );
  return rows.map(({ state, owner }) => ({ state, owner: Number(owner) }));
}

/** A part of a lane. */
export interface LanePage {
  /** Where the part ends; undefined when nothing is left behind it. */
  readonly end: SortKey | undefined;
  /** The ids of the wanted jobs in it. */
  readonly ids: readonly Buffer[];
}

/**
 * The wanted ones among the next jobs of a lane. Index: the lane, from a place on; each job's row is looked at. Locks
 * nothing: what is done to a job has to look again.
 */
export function* findInLane(
  dialect: Dialect,
  { queue, name, age }: LiveFilter,
  { state, owner }: LiveLane,
  after: SortKey,
): Operation<LanePage> {
  const { sql, parameters } = afterSortKey(dialect, '>', after);
  const rows = yield* select<{ id: Buffer; position: number | string; wanted: number | string }>(
    `SELECT id, position, (created_at <= ${dialect.now} - ? AND (? IS NULL OR name = ?)) AS wanted
     FROM ${dialect.tables.job} ${dialect.byLane}
     WHERE queue = ? AND state = ? AND owner = ? AND ${sql}
     ORDER BY position, id LIMIT ${MOST_IDS}`,
    [age, name, name, queue, state, owner, ...parameters],
  );
  const last = rows.at(-1);
  return {
    end: last && rows.length === MOST_IDS ? { position: Number(last.position), id: last.id } : undefined,
    ids: rows.filter(({ wanted }) => Number(wanted) === 1).map(({ id }) => id),
  };
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { Outcome } from '../../tables/job.js';
import { MOST_IDS } from '../base/chunks.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { queuesWithHead } from '../base/order/lane.js';
import { sortKeyCondition } from '../base/order/sort-key-condition.js';
import { type SortKey, compareSortKeys } from '../base/order/sort-key.js';
import { deleteFinishedJobs } from './delete-finished-jobs.js';

/** The finished jobs of one queue with one outcome. */
export interface FinishedLane {
  readonly queue: string;
  readonly state: Outcome;
}

/** The queues with a job of an outcome that was finished before a time. Index: the head of each lane. Locks nothing. */
export function* queuesToPrune(dialect: Dialect, state: Outcome, before: number): Operation<string[]> {
  return yield* queuesWithHead(dialect, state, sql`position < ${before}`);
}

/**
 * Finds the newest finished job beyond the number that is kept; undefined if there are no more.
 *
 * Index: the lane, backward over `count` entries; no row is read. Locks nothing.
 */
export function* newestToPrune(
  { tables, byLane }: Dialect,
  { queue, state }: FinishedLane,
  count: number,
): Operation<SortKey | undefined> {
  const [row] = yield* select<{ position: number | string; id: Buffer }>(
    sql`SELECT position, id FROM ${tables.job} ${byLane}
        WHERE queue = ${queue} AND state = ${state} AND lane = 0
        ORDER BY position DESC, id DESC LIMIT 1 OFFSET ${sql.integer(count)}`,
  );
  return row && { position: Number(row.position), id: row.id };
}

/** What one batch deleted. */
export interface PrunedBatch {
  readonly deleted: number;
  /** The last job that was read; undefined when there are no more. */
  readonly end: SortKey | undefined;
}

/**
 * Deletes the first finished jobs of a lane, after one sort key and before another. Part of a transaction.
 *
 * Index: the lane, then the primary key. Locks: see `deleteFinishedJobs`. A second run changes nothing.
 */
export function* pruneJobs(
  dialect: Dialect,
  { queue, state }: FinishedLane,
  after: SortKey,
  before: SortKey,
): Operation<PrunedBatch> {
  const rows = yield* select<{ position: number | string; id: Buffer }>(
    sql`SELECT position, id FROM ${dialect.tables.job} ${dialect.byLane}
        WHERE queue = ${queue} AND state = ${state} AND lane = 0
          AND ${sortKeyCondition(dialect, '>', after)} AND position <= ${before.position}
        ORDER BY position, id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  const old = rows
    .map(({ position, id }) => ({ position: Number(position), id }))
    .filter((key) => compareSortKeys(key, before) < 0);
  const last = old.at(-1);
  if (!last) {
    return { deleted: 0, end: undefined };
  }
  const ids = inKeyOrder(old).map(({ id }) => id);
  return {
    deleted: yield* deleteFinishedJobs(dialect, state, ids, last.position),
    end: rows.length === MOST_IDS && old.length === rows.length ? last : undefined,
  };
}

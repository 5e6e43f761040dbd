import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change, select } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import type { Outcome } from '../../../tables/job.js';
import { sortKeyCondition } from './sort-key-condition.js';
import { inKeyOrder } from '../locks/fence.js';
import { MOST_IDS, chunksOf, mostUnited } from '../chunks.js';
import { lockSkippingLocked } from '../locks/lock-skipping-locked.js';
import { WITHOUT_EXPIRY } from '../jobs/has-expired.js';
import { type SortKey, readyPosition } from './sort-key.js';

/*
 * A lane is a part of the jobs of one queue and state, in the order of the index (queue, state, lane, position, id).
 *
 * - scheduled: all jobs are in lane 0. The position is the time when the job is due.
 * - ready: the lane is that of the tenant. The position is the priority and the due time: see sort-key.ts.
 * - running: the lane is the worker. The position is the number of the claim, so that exactly its jobs can be returned.
 * - succeeded, failed, cancelled, expired: all jobs are in lane 0. The position is the time when the job was finished.
 *
 * So one index serves claims, promotions, returns, the reaper, lists and the pruner. See docs/decisions/0002.
 */

/** A condition: the job is not finished. */
export const IS_LIVE = sql`state IN ('waiting', 'scheduled', 'ready', 'running')`;

/** A condition: the job waits for other jobs, for its time or for a worker. */
export const IS_QUEUED = sql`state IN ('waiting', 'scheduled', 'ready')`;

/** Assignments that move a job into the ready lane of its queue and tenant. */
export const INTO_READY_LANE = sql`state = 'ready', owner = 0, lane = tenant_lane,
  position = ${readyPosition(sql`priority`, sql`run_at`)}`;

/** The same for a job without a worker that becomes due now, whenever it was due before. */
export function intoReadyLaneNow({ now }: Pick<Dialect, 'now'>): Fragment {
  return sql`state = 'ready', lane = tenant_lane, position = ${readyPosition(sql`priority`, now)}, run_at = ${now}`;
}

/** Assignments that let a job wait for a signal, its children or its place in an order. */
export function intoWaiting({ now }: Pick<Dialect, 'now'>): Fragment {
  return sql`state = 'waiting', owner = 0, lane = 0, position = ${now}, run_at = ${now}`;
}

/** `INTO_READY_LANE` for a job that has, or may have, started. */
export const INTO_READY_LANE_AGAIN = sql`${INTO_READY_LANE}, ${WITHOUT_EXPIRY}`;

/** The same for a job whose worker died. */
export const INTO_READY_LANE_AFTER_CRASH = sql`${INTO_READY_LANE_AGAIN}, crashes = crashes + 1`;

/**
 * Assignments that move a job into the lane of the finished jobs of its queue.
 *
 * @param outcome an expression for its outcome.
 */
export function intoFinished({ now }: Dialect, outcome: Fragment): Fragment {
  return sql`state = ${outcome}, lane = 0, position = ${now}, finished_at = ${now}`;
}

/** A lane, or with `due` the jobs of it whose time has come. */
export interface LaneRange {
  readonly queue: string;
  readonly state: 'scheduled' | 'running';
  readonly lane: number;
  readonly due?: boolean;
}

/**
 * The statement that locks the first ready jobs of a queue, without a tenant, skipping locked ones. Part of a
 * transaction.
 *
 * - SKIP LOCKED: no worker waits for another one, or for an application's uncommitted enqueue.
 * - A statement of its own, followed by an UPDATE by primary key: see docs/decisions/0001.
 * - The index is forced: on a small table the optimizer prefers a full scan, which locks every row.
 * - The ORDER BY is the rest of the index after its equality columns: a filesort would lock all candidates.
 * - READ COMMITTED (set on the connection): at REPEATABLE READ, finding fewer rows than the limit locks the gap after
 *   the last one, and with it every enqueue.
 * - The lower bound skips the entries that jobs have left and that are not purged yet: see docs/decisions/0004.
 * - The limit is not higher than the number of jobs: at the end of the lane it would read entries of other lanes.
 *
 * @param from the sort key to start at.
 */
export function lockFirstReady(
  dialect: Dialect,
  queue: string,
  from: SortKey,
  limit: number,
  columns: Fragment,
): Fragment {
  return sql`${firstReady(dialect, queue, from, limit, columns)} ${dialect.forUpdateSkipLocked}`;
}

/** The statement that reads the first ready jobs of a queue, without a tenant, from a sort key on. */
export function firstReady(dialect: Dialect, queue: string, from: SortKey, limit: number, columns: Fragment): Fragment {
  return sql`
    SELECT ${columns} FROM ${dialect.tables.job} ${dialect.byLane}
    WHERE queue = ${queue} AND state = 'ready' AND lane = 0 AND ${sortKeyCondition(dialect, '>=', from)}
    ORDER BY position, id
    LIMIT ${sql.integer(limit)}`;
}

/**
 * Locks jobs, fewer than a thousand (see `chunks.ts`), that meet a condition, skipping locked ones. Part of a
 * transaction. Index: the primary key.
 *
 * @returns their ids.
 */
export function* lockAvailableJobs(dialect: Dialect, ids: readonly Buffer[], condition: Fragment): Operation<Buffer[]> {
  const rows = yield* lockSkippingLocked<Buffer, { id: Buffer }>(
    dialect,
    ids,
    (id) => id.toString('hex'),
    (some, locking) =>
      sql`SELECT id FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
          WHERE id IN (${sql.list(some)}) AND ${condition} ${locking}`,
  );
  return rows.map(({ id }) => id);
}

/** All queues with jobs, finished ones too. Index: jumps from queue to queue, whatever their lengths. Locks nothing. */
export function* queuesWithJobs(dialect: Dialect): Operation<string[]> {
  const rows = yield* select<{ queue: string }>(dialect.queues);
  return rows.map(({ queue }) => queue);
}

/**
 * The queues whose first job of a state meets a condition on its position. Index: the head of each lane. Locks nothing.
 *
 * @param state one whose jobs are all in lane 0.
 */
export function* queuesWithHead(
  dialect: Dialect,
  state: 'scheduled' | Outcome,
  condition: Fragment,
): Operation<string[]> {
  const found: string[] = [];
  for (const queues of chunksOf(yield* queuesWithJobs(dialect), mostUnited(dialect))) {
    const heads = queues.map(
      (queue, index) =>
        sql`SELECT * FROM (
              SELECT queue, position FROM ${dialect.tables.job} ${dialect.byLane}
              WHERE queue = ${queue} AND state = ${state} AND lane = 0
              ORDER BY position, id LIMIT 1
            ) head_${sql.integer(index)}`,
    );
    const rows = yield* select<{ queue: string }>(
      sql`SELECT queue FROM (${sql.join(heads, sql` UNION ALL `)}) heads WHERE ${condition}`,
    );
    found.push(...rows.map(({ queue }) => queue));
  }
  return found;
}

/** The jobs that one transaction moved into ready lanes. */
export interface MovedJobs {
  readonly ids: readonly Buffer[];
  /** Whether there may be more to move. */
  readonly more: boolean;
}

/**
 * Moves the first jobs of a lane into the ready lane of their queue. Part of a transaction.
 *
 * Index: the lane, without locks; then the primary key, skipping locked jobs. A locking read of the lane would read on
 * past its end (see `pollQueues`).
 *
 * @param into `INTO_READY_LANE`, or the same after a crash.
 */
export function* moveToReadyLane(dialect: Dialect, range: LaneRange, into: Fragment): Operation<MovedJobs> {
  for (let offset = 0; ; offset += MOST_IDS) {
    const found = yield* readLane(dialect, range, offset);
    const locked = yield* lockAvailableJobs(dialect, found, withinRange(dialect, range));
    if (locked.length > 0) {
      yield* change(
        sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET ${into}
            WHERE id IN (${sql.list(locked)}) AND state = ${range.state} AND lane = ${range.lane}`,
      );
    }
    if (locked.length > 0 || found.length < MOST_IDS) {
      return { ids: locked, more: found.length === MOST_IDS };
    }
  }
}

/** The condition that a job of the queue is in a range. */
function withinRange({ now }: Dialect, { state, lane, due }: LaneRange): Fragment {
  return sql`state = ${state} AND lane = ${lane}${due ? sql` AND position <= ${now}` : sql.empty}`;
}

function* readLane(dialect: Dialect, range: LaneRange, offset: number): Operation<Buffer[]> {
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${dialect.tables.job} ${dialect.byLane}
        WHERE queue = ${range.queue} AND ${withinRange(dialect, range)}
        ORDER BY position, id
        LIMIT ${sql.integer(MOST_IDS)} OFFSET ${sql.integer(offset)}`,
  );
  return inKeyOrder(rows).map(({ id }) => id);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, type Statement, change, placeholders, select } from '../../engine/operation.js';
import { afterSortKey } from './after-sort-key.js';
import { inKeyOrder } from './fence.js';
import { MOST_IDS } from './chunks.js';
import { lockSkippingLocked } from './lock-skipping-locked.js';
import { type SortKey, readyPosition } from './sort-key.js';

/*
 * Every live job stands in one lane of the index (queue, state, owner, position, id), and `position` is its place
 * there. The owner of a running job is its worker; a ready job's is the lane of its tenant, 0 without one (see
 * tenant-lanes.ts); a scheduled job has none, 0. What the position means depends on the state:
 *
 *   scheduled  the time it is due
 *   ready      its priority and the time it became due, in one number: see place.ts
 *   running    the number of the claim that took it, so that exactly its jobs can be taken back if its answer is lost
 *
 * So one index serves claim, promotion, taking back and reaping, each with equality on the first columns and the rest
 * in index order.
 */

/** SQL that puts a job, by its own columns, into the ready lane of its queue and tenant. */
export const INTO_READY_LANE = `state = 'ready', owner = lane, position = ${readyPosition('priority', 'run_at')}`;

/** The same for a job whose worker died. */
export const INTO_READY_LANE_AFTER_CRASH = `${INTO_READY_LANE}, crashes = crashes + 1`;

/** A lane, or the part of it whose position has been reached: the due ones of the scheduled jobs. */
export interface LaneRange {
  readonly queue: string;
  readonly state: 'scheduled' | 'running';
  readonly owner: number;
  readonly due?: boolean;
}

/**
 * The statement that locks the first ready jobs of a queue, without a tenant, that nobody else has locked. Part of a transaction.
 *
 * - SKIP LOCKED: no worker waits for another, nor for an application's uncommitted enqueue.
 * - A statement of its own, followed by an UPDATE by primary key. Both in one, `UPDATE (SELECT … SKIP LOCKED) … JOIN`,
 *   is as fast (see docs/decisions.md) but waits for uncommitted rows on MariaDB 10.11: inside an UPDATE it does not skip.
 * - The index is forced: on a small table the optimizer prefers a full scan, which locks every row.
 * - The ORDER BY is what remains of the index behind its equality columns: a filesort would lock all candidates.
 * - READ COMMITTED (set on the connection): at REPEATABLE READ, finding fewer rows than the limit locks the gap behind
 *   the last one, and with it every enqueue.
 * - The lower bound passes over the entries of jobs that are gone, which stay in the index until the server purges
 *   them. On MariaDB 10.11 it took a claim of 400 from 21 to 6 µs a job even with nothing that delays the purge
 *   (2026-11-20). It goes down to the id: of 30,000 jobs with one position, gone behind an open snapshot, `position >=`
 *   passed over in 26 ms on MariaDB 10.11 and 14 ms on MySQL 9.7, `beyondPlace` in 1.6 and 2.7 ms. Neither server makes
 *   a range of `(position, id) >= (?, ?)`, nor of `position >= ? AND (position > ? OR id >= ?)`.
 * - The limit is not more than there are: at the end of the lane it would run on over entries of other lanes.
 *
 * @param from the place to begin at.
 */
export function lockFirstReady(
  dialect: Dialect,
  queue: string,
  from: SortKey,
  limit: number,
  columns: string,
): Statement {
  const { sql, parameters } = firstReady(dialect, queue, from, limit, columns);
  return { sql: `${sql} ${dialect.forUpdateSkipLocked}`, parameters };
}

/** The statement that reads the first ready jobs of a queue, without a tenant, from a place on. */
export function firstReady(dialect: Dialect, queue: string, from: SortKey, limit: number, columns: string): Statement {
  const { sql, parameters } = afterSortKey(dialect, '>=', from);
  return {
    sql: `SELECT ${columns} FROM ${dialect.tables.job} ${dialect.byLane}
          WHERE queue = ? AND state = 'ready' AND owner = 0 AND ${sql}
          ORDER BY position, id
          LIMIT ${Math.trunc(limit)}`,
    parameters: [queue, ...parameters],
  };
}

/**
 * Locks jobs, fewer than a thousand (see `in-parts.ts`), that meet a condition, but those that somebody else has locked.
 * Part of a transaction. Index: the primary key.
 *
 * @returns their ids.
 */
export function* lockFreeJobs(dialect: Dialect, ids: readonly Buffer[], condition: Fragment): Operation<Buffer[]> {
  const rows = yield* lockSkippingLocked<Buffer, { id: Buffer }>(
    dialect,
    ids,
    (id) => id.toString('hex'),
    (some, locking) => ({
      sql: `SELECT id FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
            WHERE id IN (${placeholders(some)}) AND ${condition.sql} ${locking}`,
      parameters: [...some, ...condition.parameters],
    }),
  );
  return rows.map(({ id }) => id);
}

/** All queues with live jobs. Index: from queue to queue, whatever their lengths. Locks nothing. */
export function* queuesWithJobs(dialect: Dialect): Operation<string[]> {
  const rows = yield* select<{ queue: string }>(dialect.queues);
  return rows.map(({ queue }) => queue);
}

/** What one transaction of a repeated move did. */
export interface Batch {
  /** How many jobs it moved. */
  readonly moved: number;
  /** Whether there may be more. */
  readonly more: boolean;
}

/** The same, and which jobs they were. */
export interface MovedBatch extends Batch {
  readonly ids: readonly Buffer[];
}

/**
 * Moves the first jobs of a lane into the ready lane of their queue. Part of a transaction.
 *
 * The lane is read without locks, and only what was found is locked, by primary key: a locking read would run on at
 * the end of the lane (see `lookForJobs`). Rows that somebody else has locked are passed over, see `lockFree`.
 *
 * @param into `INTO_READY_LANE`, or the same after a crash.
 */
export function* moveBatchIntoReady(dialect: Dialect, range: LaneRange, into: string): Operation<MovedBatch> {
  for (let offset = 0; ; offset += MOST_IDS) {
    const found = yield* readLane(dialect, range, offset);
    const locked = yield* lockFound(dialect, range, found);
    if (locked.length > 0) {
      yield* change(
        `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET ${into}
         WHERE id IN (${placeholders(locked)}) AND state = ? AND owner = ?`,
        [...locked, range.state, range.owner],
      );
    }
    if (locked.length > 0 || found.length < MOST_IDS) {
      return { moved: locked.length, more: found.length === MOST_IDS, ids: locked };
    }
  }
}

/** The condition that a row of the queue, or of a list of ids, stands in a range. */
function withinRange({ now }: Dialect, { due }: LaneRange): string {
  return `state = ? AND owner = ?${due ? ` AND position <= ${now}` : ''}`;
}

function* readLane(dialect: Dialect, range: LaneRange, offset: number): Operation<Buffer[]> {
  const rows = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${dialect.tables.job} ${dialect.byLane}
     WHERE queue = ? AND ${withinRange(dialect, range)}
     ORDER BY position, id
     LIMIT ${MOST_IDS} OFFSET ${offset}`,
    [range.queue, range.state, range.owner],
  );
  return inKeyOrder(rows).map(({ id }) => id);
}

function* lockFound(dialect: Dialect, range: LaneRange, ids: readonly Buffer[]): Operation<Buffer[]> {
  return yield* lockFreeJobs(dialect, ids, {
    sql: withinRange(dialect, range),
    parameters: [range.state, range.owner],
  });
}

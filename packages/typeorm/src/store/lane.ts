import type { Dialect } from '../engine/dialect.js';
import { type Operation, type Statement, change, placeholders, select } from '../engine/operation.js';
import { MOST_IDS } from './in-parts.js';

/*
 * Every live job stands in one lane of the index (queue, state, owner, position, id), and `position` is its place
 * there. What it means depends on the state:
 *
 *   scheduled  the time it is due
 *   ready      its priority and the time it became due, in one number: smaller priorities first, then older jobs
 *   running    the number of the claim that took it, so that exactly its jobs can be taken back if its answer is lost
 *
 * So one index serves claim, promotion, taking back and reaping, each with equality on the first columns and the rest
 * in index order.
 */

/** One step of priority. More than any time in ms until the year 2286, and 500 of them stay below 2^53. */
const PRIORITY_STEP = 10_000_000_000_000;

/** No job is due at this time, in ms, or later: its position would be that of another priority. */
export const LATEST_TIME = PRIORITY_STEP;

/** The lowest and highest priority. */
export const PRIORITY_RANGE = { first: -500, last: 500 } as const;

/** No ready job has a position before this one. */
export const FIRST_POSITION = PRIORITY_RANGE.first * PRIORITY_STEP;

/** The position of a ready job. */
export function positionOf({ priority, runAt }: { readonly priority: number; readonly runAt: number }): number {
  return priority * PRIORITY_STEP + runAt;
}

/** SQL for the position of a ready job, of SQL for its priority and for its due time. */
export function readyPosition(priority: string, runAt: string): string {
  return `${priority} * ${PRIORITY_STEP} + ${runAt}`;
}

/** SQL that puts a job, by its own columns, into the ready lane of its queue. */
export const INTO_READY_LANE = `state = 'ready', owner = 0, position = ${readyPosition('priority', 'run_at')}`;

/** A lane, or a part of it. */
export interface LaneRange {
  readonly queue: string;
  readonly state: 'scheduled' | 'ready' | 'running';
  readonly owner: number;
  /** Only up to the present time: the due ones of the scheduled jobs. */
  readonly due?: boolean;
  /** Only from this position on. */
  readonly from?: number;
}

/**
 * The statement that locks the first jobs of a lane that nobody else has locked. Part of a transaction.
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
 *   (2026-11-20). It has to be the only range: with `position < ? OR position >= ?` both servers read from the head.
 */
export function lockFirst(
  dialect: Dialect,
  { queue, state, owner, due, from }: LaneRange,
  limit: number,
  columns: string,
): Statement {
  const bound = (due ? ` AND position <= ${dialect.now}` : '') + (from === undefined ? '' : ' AND position >= ?');
  return {
    sql: `SELECT ${columns} FROM ${dialect.tables.job} ${dialect.byLane}
     WHERE queue = ? AND state = ? AND owner = ?${bound}
     ORDER BY position, id
     LIMIT ${Math.trunc(limit)}
     ${dialect.forUpdateSkipLocked}`,
    parameters: [queue, state, owner, ...(from === undefined ? [] : [from])],
  };
}

/** What one transaction of a repeated move did. */
export interface Batch {
  /** How many jobs it moved. */
  readonly moved: number;
  /** Whether there may be more. */
  readonly more: boolean;
}

/** Moves the first jobs of a lane into the ready lane of their queue. Part of a transaction. */
export function* moveBatchIntoReady(dialect: Dialect, range: LaneRange): Operation<Batch> {
  const { sql, parameters } = lockFirst(dialect, range, MOST_IDS, 'id');
  const rows = yield* select(sql, parameters);
  const ids = rows.map(({ id }) => id as Buffer);
  if (ids.length > 0) {
    yield* change(
      `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET ${INTO_READY_LANE}
       WHERE id IN (${placeholders(ids)}) AND state = ? AND owner = ?`,
      [...ids, range.state, range.owner],
    );
  }
  return { moved: ids.length, more: ids.length === MOST_IDS };
}

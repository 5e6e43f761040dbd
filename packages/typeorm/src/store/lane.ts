import type { Dialect, LaneRange } from '../engine/dialect.js';
import type { Operation } from '../engine/operation.js';

/*
 * Every live job stands in one lane of the index (queue, state, owner, position, id), and `position` is its place
 * there. What it means depends on the state:
 *
 *   scheduled  the time it is due
 *   ready      its priority and the time it became due, in one number: smaller priorities first, then older jobs
 *   running    the number of the claim that took it, so that a claim reads back exactly its own jobs
 *
 * So one index serves claim, promotion, read-back and reaping, each with equality on the first columns and the rest in
 * index order.
 */

/** One step of priority. More than any time in ms until the year 2286, and 500 of them stay below 2^53. */
const PRIORITY_STEP = 10_000_000_000_000;

/** No job is due at this time, in ms, or later: its position would be that of another priority. */
export const LATEST_TIME = PRIORITY_STEP;

/** The lowest and highest priority. */
export const PRIORITY_RANGE = { first: -500, last: 500 } as const;

/** SQL for the position of a ready job, of SQL for its priority and for its due time. */
export function readyPosition(priority: string, runAt: string): string {
  return `${priority} * ${PRIORITY_STEP} + ${runAt}`;
}

/** SQL that puts a job, by its own columns, into the ready lane of its queue. */
export const INTO_READY_LANE = `state = 'ready', owner = 0, position = ${readyPosition('priority', 'run_at')}`;

/** What one statement of a repeated move did. */
export interface Batch {
  /** How many jobs it moved. */
  readonly moved: number;
  /** Whether there may be more. */
  readonly more: boolean;
}

/** How many jobs one statement moves at most when it is repeated: it locks them until it commits. */
const BATCH_SIZE = 500;

/** Moves the first jobs of a lane into the ready lane of their queue. */
export function* moveBatchIntoReady(dialect: Dialect, range: Omit<LaneRange, 'limit'>): Operation<Batch> {
  const moved = yield* dialect.moveLane({ ...range, limit: BATCH_SIZE }, INTO_READY_LANE, []);
  return { moved, more: moved === BATCH_SIZE };
}

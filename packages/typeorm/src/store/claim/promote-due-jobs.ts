import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { INTO_READY_LANE, type MovedJobs, moveToReadyLane, queuesWithHead } from '../base/order/lane.js';

/** The queues in which a scheduled job is due. Index: the head of the scheduled lane of each queue. Locks nothing. */
export function* queuesWithDueJobs(dialect: Dialect): Operation<string[]> {
  return yield* queuesWithHead(dialect, 'scheduled', sql`position <= ${dialect.now}`);
}

/**
 * scheduled → ready, for the first due jobs of a queue: jobs whose delay or backoff has ended.
 *
 * Index: the lane up to the present time, then the primary key. Locks: the promoted rows, skipping locked ones, so it
 * never waits for another promotion or a cancellation.
 */
export function* promoteDueJobs(dialect: Dialect, queue: string): Operation<MovedJobs> {
  return yield* moveToReadyLane(dialect, { queue, state: 'scheduled', lane: 0, due: true }, INTO_READY_LANE);
}

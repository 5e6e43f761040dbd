import type { Dialect } from '../engine/dialect.js';
import { type Operation, select } from '../engine/operation.js';
import { type Batch, INTO_READY_LANE, moveBatchIntoReady } from './lane.js';

/** The queues in which a scheduled job is due. Reads the lanes only, no job. */
export function* queuesWithDueJobs(dialect: Dialect): Operation<string[]> {
  const rows = yield* select<{ queue: string }>(
    `SELECT lanes.queue FROM (${dialect.lanes}) lanes
     WHERE lanes.state = 'scheduled' AND lanes.earliest <= ${dialect.now}`,
  );
  return rows.map(({ queue }) => queue);
}

/**
 * scheduled → ready, for the first due jobs of a queue: delays that are over and retries whose wait is over.
 *
 * Index: the lane up to the present time, then the primary key. Locks: the promoted rows, passing over locked ones, so
 * that two promoters, or a promoter and a cancellation, never wait for each other.
 */
export function* promoteDueJobs(dialect: Dialect, queue: string): Operation<Batch> {
  return yield* moveBatchIntoReady(dialect, { queue, state: 'scheduled', owner: 0, due: true }, INTO_READY_LANE);
}

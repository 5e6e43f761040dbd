import type { Dialect } from '../engine/dialect.js';
import { type Operation, select } from '../engine/operation.js';
import { INTO_READY_LANE } from './lane.js';

/** How many jobs one statement promotes: it locks them until it commits. */
const BATCH = 500;

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
 * Index: the lane, up to the present time. Locks: the promoted rows, passing over locked ones, so that two promoters,
 * or a promoter and a cancellation, never wait for each other. One statement: it happens or it does not.
 *
 * @returns how many were promoted, and whether there may be more.
 */
export function* promoteDueJobs(dialect: Dialect, queue: string): Operation<{ promoted: number; more: boolean }> {
  const promoted = yield* dialect.moveLane(
    { queue, state: 'scheduled', owner: 0, due: true, limit: BATCH },
    INTO_READY_LANE,
    [],
  );
  return { promoted, more: promoted === BATCH };
}

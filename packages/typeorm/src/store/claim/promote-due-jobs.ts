import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { MOST_UNITED, chunksOf } from '../base/chunks.js';
import { type Batch, INTO_READY_LANE, moveBatchIntoReady, queuesWithJobs } from '../base/lane.js';

/** The queues in which a scheduled job is due. Index: the head of the scheduled lane of each queue. Locks nothing. */
export function* queuesWithDueJobs(dialect: Dialect): Operation<string[]> {
  const { tables, byLane, now } = dialect;
  const due: string[] = [];
  for (const queues of chunksOf(yield* queuesWithJobs(dialect), MOST_UNITED)) {
    const heads = queues.map(
      (_queue, index) =>
        `SELECT * FROM (
           SELECT queue, position FROM ${tables.job} ${byLane}
           WHERE queue = ? AND state = 'scheduled' AND owner = 0
           ORDER BY position, id LIMIT 1
         ) head_${index}`,
    );
    const rows = yield* select<{ queue: string }>(
      `SELECT queue FROM (${heads.join(' UNION ALL ')}) heads WHERE position <= ${now}`,
      queues,
    );
    due.push(...rows.map(({ queue }) => queue));
  }
  return due;
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

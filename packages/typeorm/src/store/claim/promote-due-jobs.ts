import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import { INTO_READY_LANE, type MovedJobs, moveToReadyLane, queuesWithJobs } from '../base/order/lane.js';

/** The queues in which a scheduled job is due. Index: the head of the scheduled lane of each queue. Locks nothing. */
export function* queuesWithDueJobs(dialect: Dialect): Operation<string[]> {
  const { tables, byLane, now } = dialect;
  const due: string[] = [];
  for (const queues of chunksOf(yield* queuesWithJobs(dialect), mostUnited(dialect))) {
    const heads = queues.map(
      (queue, index) =>
        sql`SELECT * FROM (
              SELECT queue, position FROM ${tables.job} ${byLane}
              WHERE queue = ${queue} AND state = 'scheduled' AND lane = 0
              ORDER BY position, id LIMIT 1
            ) head_${sql.integer(index)}`,
    );
    const rows = yield* select<{ queue: string }>(
      sql`SELECT queue FROM (${sql.join(heads, sql` UNION ALL `)}) heads WHERE position <= ${now}`,
    );
    due.push(...rows.map(({ queue }) => queue));
  }
  return due;
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

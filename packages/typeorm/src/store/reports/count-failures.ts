import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { type JobCount, cappedCount } from '../base/jobs/job-count.js';
import { queuesWithJobs } from '../base/order/lane.js';
import { readClock } from '../base/read-clock.js';
import { countInLanes } from './count-in-lanes.js';

/** The number of failed jobs. */
export interface CountedFailures {
  readonly total: JobCount;
  /** By queue, each up to the limit. */
  readonly byQueue: ReadonlyMap<string, number>;
}

/**
 * Counts the failed jobs that were not retried since, up to a limit. See `countInLanes`. Locks nothing.
 *
 * @param period only those that failed within this period, in ms.
 */
export function* countFailures(dialect: Dialect, limit: number, period?: number): Operation<CountedFailures> {
  const queues = yield* queuesWithJobs(dialect);
  const from = period === undefined ? undefined : (yield* readClock(dialect)) - period;
  const wanted = queues.map((queue) => ({ queue, state: 'failed' as const, ...(from !== undefined && { from }) }));
  const counts = yield* countInLanes(dialect, wanted, limit);
  const byQueue = new Map(queues.map((queue, index) => [queue, Math.min(counts[index] as number, limit)]));
  return {
    total: cappedCount(
      counts.reduce((sum, jobs) => sum + jobs, 0),
      limit,
    ),
    byQueue: new Map([...byQueue].filter(([, jobs]) => jobs > 0)),
  };
}

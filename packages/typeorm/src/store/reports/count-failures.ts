import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { type JobCount, cappedCount } from '../base/jobs/job-count.js';
import type { LaneOfJobs } from '../base/order/find-lanes.js';
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
 * @param lanes all of them.
 * @param period only those that failed within this period, in ms.
 */
export function* countFailures(
  dialect: Dialect,
  lanes: readonly LaneOfJobs[],
  limit: number,
  period?: number,
): Operation<CountedFailures> {
  const from = period === undefined ? 0 : (yield* readClock(dialect)) - period;
  const wanted = lanes.filter(({ state, latest }) => state === 'failed' && latest >= from);
  const counts = yield* countInLanes(
    dialect,
    wanted.map(({ queue, state }) => ({ queue, state, from })),
    limit,
  );
  const byQueue = wanted.map(({ queue }, index) => [queue, Math.min(counts[index] ?? 0, limit)] as const);
  return {
    total: cappedCount(
      counts.reduce((sum, jobs) => sum + jobs, 0),
      limit,
    ),
    byQueue: new Map(byQueue.filter(([, jobs]) => jobs > 0)),
  };
}

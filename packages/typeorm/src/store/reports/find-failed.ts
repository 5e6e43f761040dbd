import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { type JobCount, cappedCount } from '../base/jobs/job-count.js';
import type { LaneOfJobs } from '../base/order/find-lanes.js';
import { readClock } from '../base/read-clock.js';
import { countInLanes } from './count-in-lanes.js';

/** The failed jobs of a queue. */
export interface FailedJobsOfQueue extends JobCount {
  readonly queue: string;
  /** How long ago the first and the last of them failed, in ms. */
  readonly oldestAge: number;
  readonly newestAge: number;
}

/** Counting a queue's failed jobs ends here: the verdict needs to know that there are many. */
const MOST_COUNTED = 1_000;
/** In how many queues they are counted: those with the latest failures. */
const MOST_QUEUES = 100;

/**
 * Finds the failed jobs of each queue that has some. Of more than 100 queues the others have one at least.
 *
 * Index: the lanes of failed jobs, up to 1,001 entries; no row is read. Locks nothing.
 *
 * @param lanes all of them.
 */
export function* findFailed(dialect: Dialect, lanes: readonly LaneOfJobs[]): Operation<FailedJobsOfQueue[]> {
  const failed = lanes.filter(({ state }) => state === 'failed').sort((one, other) => other.latest - one.latest);
  const counts = yield* countInLanes(dialect, failed.slice(0, MOST_QUEUES), MOST_COUNTED);
  const now = yield* readClock(dialect);
  return failed.flatMap(({ queue, earliest, latest }, index) => {
    const count = counts[index];
    // Retried or pruned since the lanes were read.
    return count === 0
      ? []
      : {
          queue,
          ...(count === undefined ? { count: 1, isCapped: true } : cappedCount(count, MOST_COUNTED)),
          oldestAge: Math.max(0, now - earliest),
          newestAge: Math.max(0, now - latest),
        };
  });
}

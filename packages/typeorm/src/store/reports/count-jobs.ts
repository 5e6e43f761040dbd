import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { LIVE_STATES, type LiveState, isLive } from '../../tables/job.js';
import { type JobCount, cappedCount } from '../base/jobs/job-count.js';
import { type LaneOfJobs, statesOf } from '../base/order/find-lanes.js';
import { countInLanes } from './count-in-lanes.js';

/** The unfinished jobs of a queue, by state. */
export type QueueCounts = { readonly queue: string } & Readonly<Record<LiveState, JobCount>>;

/**
 * Counts the live jobs of every queue that has any, each state up to a limit. See `countInLanes`. Locks nothing.
 *
 * @param lanes all of them.
 */
export function* countJobs(dialect: Dialect, lanes: readonly LaneOfJobs[], limit: number): Operation<QueueCounts[]> {
  const live = statesOf(lanes).flatMap(({ queue, state }) => (isLive(state) ? { queue, state } : []));
  const counts = new Map<string, Record<LiveState, JobCount>>();
  for (const [index, jobs] of (yield* countInLanes(dialect, live, limit)).entries()) {
    const { queue, state } = live[index] as (typeof live)[number];
    const none = LIVE_STATES.map((each) => [each, { count: 0, isCapped: false }]);
    const ofQueue = counts.get(queue) ?? (Object.fromEntries(none) as Record<LiveState, JobCount>);
    ofQueue[state] = cappedCount(jobs, limit);
    counts.set(queue, ofQueue);
  }
  return [...counts].map(([queue, byState]) => ({ queue, ...byState }));
}

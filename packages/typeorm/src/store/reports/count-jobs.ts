import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { LIVE_STATES, type LiveState } from '../../tables/job.js';
import { MOST_UNITED, chunksOf } from '../base/chunks.js';

/** How many jobs of a queue are in one state. */
export interface JobCount {
  readonly count: number;
  /** Whether counting ended at the limit: then there are at least so many. */
  readonly isCapped: boolean;
}

/** The jobs of a queue that are not finished, by state. */
export type QueueCounts = { readonly queue: string } & Readonly<Record<LiveState, JobCount>>;

/**
 * Counts the live jobs of every queue that has any, each state up to a limit.
 *
 * Index: the lanes, from each one's head; no row is read. So it costs the same however long a lane is. Locks nothing.
 */
export function* countJobs(dialect: Dialect, limit: number): Operation<QueueCounts[]> {
  const lanes = yield* select<{ queue: string; state: LiveState }>(
    `SELECT DISTINCT lanes.queue, lanes.state FROM (${dialect.lanes}) lanes ORDER BY lanes.queue`,
  );
  const counts = new Map<string, Record<LiveState, JobCount>>();
  for (const { queue } of lanes) {
    const none = LIVE_STATES.map((state) => [state, { count: 0, isCapped: false }]);
    counts.set(queue, Object.fromEntries(none) as Record<LiveState, JobCount>);
  }
  for (const part of chunksOf(lanes, MOST_UNITED)) {
    const numbers = yield* select<{ lane: number | string; jobs: number | string }>(
      part.map((_lane, index) => countLane(dialect, index, limit)).join(' UNION ALL '),
      part.flatMap(({ queue, state }) => [queue, state]),
    );
    for (const { lane, jobs } of numbers) {
      const { queue, state } = part[Number(lane)] as (typeof part)[number];
      const count = Math.min(Number(jobs), limit);
      (counts.get(queue) as Record<LiveState, JobCount>)[state] = { count, isCapped: Number(jobs) > limit };
    }
  }
  return [...counts].map(([queue, byState]) => ({ queue, ...byState }));
}

function countLane({ tables, byLane }: Dialect, index: number, limit: number): string {
  return `SELECT ${index} AS lane, COUNT(*) AS jobs FROM (
            SELECT 1 FROM ${tables.job} ${byLane} WHERE queue = ? AND state = ? LIMIT ${Math.trunc(limit) + 1}
          ) lane_${index}`;
}

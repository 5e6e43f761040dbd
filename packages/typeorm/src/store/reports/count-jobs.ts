import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { LIVE_STATES, type LiveState } from '../../tables/job.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import { type JobCount, cappedCount } from '../base/jobs/job-count.js';

/** The unfinished jobs of a queue, by state. */
export type QueueCounts = { readonly queue: string } & Readonly<Record<LiveState, JobCount>>;

/**
 * Counts the live jobs of every queue that has any, each state up to a limit.
 *
 * Index: the lanes, from the head of each; no row is read. So it costs the same for lanes of any length. Locks nothing.
 */
export function* countJobs(dialect: Dialect, limit: number): Operation<QueueCounts[]> {
  const { tables, byLane, lanes } = dialect;
  const states = yield* select<{ queue: string; state: LiveState }>(
    sql`SELECT DISTINCT lanes.queue, lanes.state FROM (${lanes}) lanes ORDER BY lanes.queue`,
  );
  const counts = new Map<string, Record<LiveState, JobCount>>();
  for (const { queue } of states) {
    const none = LIVE_STATES.map((state) => [state, { count: 0, isCapped: false }]);
    counts.set(queue, Object.fromEntries(none) as Record<LiveState, JobCount>);
  }
  for (const chunk of chunksOf(states, mostUnited(dialect))) {
    const selects = chunk.map(({ queue, state }, index) => {
      const lane = sql.integer(index);
      return sql`SELECT ${lane} AS lane, COUNT(*) AS jobs FROM (
                   SELECT 1 FROM ${tables.job} ${byLane}
                   WHERE queue = ${queue} AND state = ${state} LIMIT ${sql.integer(limit + 1)}
                 ) lane_${lane}`;
    });
    const rows = yield* select<{ lane: number | string; jobs: number | string }>(sql.join(selects, sql` UNION ALL `));
    for (const { lane, jobs } of rows) {
      const { queue, state } = chunk[Number(lane)] as (typeof chunk)[number];
      (counts.get(queue) as Record<LiveState, JobCount>)[state] = cappedCount(Number(jobs), limit);
    }
  }
  return [...counts].map(([queue, byState]) => ({ queue, ...byState }));
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { LiveState, Outcome } from '../../tables/job.js';
import { chunksOf, mostUnited } from '../base/chunks.js';

/** The jobs of a queue in one state. */
export interface CountedJobs {
  readonly queue: string;
  readonly state: LiveState | Outcome;
  /** Only those that finished at this time or later, in ms. */
  readonly from?: number;
}

/**
 * Counts jobs by queue and state, each up to a limit and one more, in the order given.
 *
 * Index: the lanes; no row is read. So it costs the same for lanes of any length. Locks nothing.
 */
export function* countInLanes(dialect: Dialect, wanted: readonly CountedJobs[], limit: number): Operation<number[]> {
  const { tables, byLane } = dialect;
  const counts: number[] = [];
  for (const chunk of chunksOf(wanted, mostUnited(dialect))) {
    const selects = chunk.map(({ queue, state, from }, index) => {
      const number = sql.integer(index);
      const isRecent = from === undefined ? sql.empty : sql`AND lane = 0 AND position >= ${from}`;
      return sql`SELECT ${number} AS number, COUNT(*) AS jobs FROM (
                   SELECT 1 FROM ${tables.job} ${byLane}
                   WHERE queue = ${queue} AND state = ${state} ${isRecent} LIMIT ${sql.integer(limit + 1)}
                 ) jobs_${number}`;
    });
    const rows = yield* select<{ number: number | string; jobs: number | string }>(sql.join(selects, sql` UNION ALL `));
    const byNumber = new Map(rows.map(({ number, jobs }) => [Number(number), Number(jobs)]));
    counts.push(...chunk.map((_, index) => byNumber.get(index) ?? 0));
  }
  return counts;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import type { JobCount } from '../base/jobs/job-count.js';
import { cappedCount } from '../base/jobs/job-count.js';
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

/**
 * Finds the failed jobs of each queue that has some. Index: the lanes of failed jobs, both ends and up to 1,001 entries;
 * no row is read. Locks nothing.
 */
export function* findFailed(dialect: Dialect): Operation<FailedJobsOfQueue[]> {
  const { tables, byLane, lanes } = dialect;
  const failed = yield* select<{ queue: string; earliest: number | string }>(
    sql`SELECT lanes.queue, lanes.earliest FROM (${lanes}) lanes WHERE lanes.state = 'failed' ORDER BY lanes.queue`,
  );
  if (failed.length === 0) {
    return [];
  }
  const latest = new Map<string, number>();
  for (const chunk of chunksOf(failed, mostUnited(dialect))) {
    const ends = chunk.map(
      ({ queue }, index) =>
        sql`SELECT * FROM (
              SELECT queue, position FROM ${tables.job} ${byLane}
              WHERE queue = ${queue} AND state = 'failed' AND lane = 0
              ORDER BY position DESC, id DESC LIMIT 1
            ) end_${sql.integer(index)}`,
    );
    const rows = yield* select<{ queue: string; position: number | string }>(sql.join(ends, sql` UNION ALL `));
    rows.forEach(({ queue, position }) => latest.set(queue, Number(position)));
  }
  const counts = yield* countInLanes(
    dialect,
    failed.map(({ queue }) => ({ queue, state: 'failed' })),
    MOST_COUNTED,
  );
  const now = yield* readClock(dialect);
  return failed.flatMap(({ queue, earliest }, index) => {
    const count = counts[index] ?? 0;
    // Retried or pruned since the lanes were read.
    return count === 0
      ? []
      : {
          queue,
          ...cappedCount(count, MOST_COUNTED),
          oldestAge: Math.max(0, now - Number(earliest)),
          newestAge: Math.max(0, now - (latest.get(queue) ?? Number(earliest))),
        };
  });
}

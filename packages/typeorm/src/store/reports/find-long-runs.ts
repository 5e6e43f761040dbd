import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf, mostUnited } from '../base/chunks.js';
import { queuesWithJobs } from '../base/order/lane.js';

/** The jobs of a worker in a queue that have been running for too long. */
export interface LongRuns {
  readonly queue: string;
  readonly count: number;
  /** The id of the job that has been running longest. */
  readonly id: string;
  /** For how long it has been running, in ms. */
  readonly age: number;
}

/** The first running job of a worker in a queue. */
interface Head extends LongRuns {
  readonly owner: number;
}

/** No job that runs for less time is reported, in ms. */
const SHORTEST = 10 * 60_000;
/** How many times longer than the longest attempt of the last day it must run. */
const FACTOR = 2;
const DAY = 24 * 3_600_000;
/** Counting the jobs of a worker in a queue ends here. */
const MOST_COUNTED = 1_000;

/**
 * Finds jobs whose attempt has been running for ten minutes, and for twice as long as the longest one of their queue
 * that ended within a day.
 *
 * Index: the lane of each worker and queue, whose first job was claimed first: one row each, and up to 1,000 where that
 * has been running too long. Only then also the throughput of a day. Locks nothing.
 */
export function* findLongRuns(dialect: Dialect): Operation<LongRuns[]> {
  const heads: Head[] = [];
  for (const queues of chunksOf(yield* queuesWithJobs(dialect), MOST_IDS)) {
    heads.push(...(yield* findHeads(dialect, queues)));
  }
  const old = heads.filter(({ age }) => age >= SHORTEST);
  if (old.length === 0) {
    return [];
  }
  const longest = yield* longestRuns(dialect);
  const found: LongRuns[] = [];
  for (const { owner, ...head } of old) {
    const limit = Math.max(SHORTEST, FACTOR * (longest.get(head.queue) ?? 0));
    if (head.age >= limit) {
      found.push({ ...head, count: yield* countLonger(dialect, head.queue, owner, limit) });
    }
  }
  return found;
}

function* findHeads(dialect: Dialect, queues: readonly string[]): Operation<Head[]> {
  const { tables, byLane, now } = dialect;
  const heads: Head[] = [];
  const lanes = yield* select<{ queue: string; owner: number | string }>(dialect.runningLanes(queues));
  for (const chunk of chunksOf(lanes, mostUnited(dialect))) {
    const selects = chunk.map(
      ({ queue, owner }, index) =>
        sql`SELECT * FROM (
              SELECT queue, lane AS owner, id, ${now} - claimed_at AS age FROM ${tables.job} ${byLane}
              WHERE queue = ${queue} AND state = 'running' AND lane = ${owner}
              ORDER BY position, id LIMIT 1
            ) head_${sql.integer(index)}`,
    );
    const rows = yield* select<{ queue: string; owner: number | string; id: Buffer; age: number | string }>(
      sql.join(selects, sql` UNION ALL `),
    );
    heads.push(
      ...rows.map(({ queue, owner, id, age }) => {
        return { queue, owner: Number(owner), id: uuidFromBytes(id), age: Number(age), count: 1 };
      }),
    );
  }
  return heads;
}

/** The longest attempts that ended within a day, by queue. */
function* longestRuns({ tables, byPrimaryKey, now }: Dialect): Operation<Map<string, number>> {
  const rows = yield* select<{ queue: string; longest: number | string }>(
    sql`SELECT queue, MAX(run_max) AS longest FROM ${tables.throughput} ${byPrimaryKey}
        WHERE began_at >= ${now} - ${sql.integer(DAY)} GROUP BY queue`,
  );
  return new Map(rows.map(({ queue, longest }) => [queue, Number(longest)]));
}

function* countLonger(dialect: Dialect, queue: string, owner: number, age: number): Operation<number> {
  const { tables, byLane, now } = dialect;
  const [row] = yield* select<{ jobs: number | string }>(
    sql`SELECT COUNT(*) AS jobs FROM (
          SELECT claimed_at FROM ${tables.job} ${byLane}
          WHERE queue = ${queue} AND state = 'running' AND lane = ${owner}
          ORDER BY position, id LIMIT ${sql.integer(MOST_COUNTED)}
        ) first_jobs WHERE claimed_at <= ${now} - ${sql.integer(Math.floor(age))}`,
  );
  // The first job may have ended since.
  return Math.max(1, Number(row?.jobs ?? 0));
}

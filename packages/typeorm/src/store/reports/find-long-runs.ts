import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import { MINUTE } from '../base/jobs/throughput-delta.js';
import type { LaneOfJobs } from '../base/order/find-lanes.js';
import { readClock } from '../base/read-clock.js';
import { findThroughput } from './find-throughput.js';

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
/** How many queues are compared with their last day: those whose jobs have been running longest. */
const MOST_COMPARED = 10;
/** Counting the jobs of a worker in a queue ends here. */
const MOST_COUNTED = 1_000;

/**
 * Finds jobs whose attempt has been running for ten minutes, and for twice as long as the longest one of their queue
 * that ended within a day.
 *
 * Index: the lane of each worker and queue, whose first job was claimed first: one row each, and up to 1,000 where that
 * has been running too long. Only then also the throughput of a day, of 10 queues at most: a stuck job becomes one of
 * the oldest. Locks nothing.
 *
 * @param lanes all of them.
 */
export function* findLongRuns(dialect: Dialect, lanes: readonly LaneOfJobs[]): Operation<LongRuns[]> {
  const heads = yield* findHeads(
    dialect,
    lanes.filter(({ state }) => state === 'running'),
  );
  const old = groupBy(
    heads.filter(({ age }) => age >= SHORTEST).sort((one, other) => other.age - one.age),
    ({ queue }) => queue,
  );
  if (old.size === 0) {
    return [];
  }
  const now = yield* readClock(dialect);
  // No queue has had a longer one.
  const areAllShort = FACTOR * (yield* longestRun(dialect, null, now)) <= SHORTEST;
  const found: LongRuns[] = [];
  for (const [queue, ofQueue] of [...old].slice(0, MOST_COMPARED)) {
    const limit = areAllShort ? SHORTEST : Math.max(SHORTEST, FACTOR * (yield* longestRun(dialect, queue, now)));
    for (const { owner, ...head } of ofQueue.filter(({ age }) => age >= limit)) {
      found.push({ ...head, count: yield* countLonger(dialect, queue, owner, limit) });
    }
  }
  return found;
}

function* findHeads(dialect: Dialect, lanes: readonly LaneOfJobs[]): Operation<Head[]> {
  const { tables, byLane, now } = dialect;
  const heads: Head[] = [];
  for (const chunk of chunksOf(lanes, mostUnited(dialect))) {
    const selects = chunk.map(
      ({ queue, lane: owner }, index) =>
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

/**
 * The longest attempt that ended within a day, in ms; 0 without one.
 *
 * @param queue null: of all queues.
 */
function* longestRun(dialect: Dialect, queue: string | null, now: number): Operation<number> {
  const firstMinute = now - DAY - (now % MINUTE);
  const rows = yield* findThroughput(dialect, firstMinute, now, DAY, queue);
  return Math.max(0, ...rows.map(({ runMax }) => runMax));
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

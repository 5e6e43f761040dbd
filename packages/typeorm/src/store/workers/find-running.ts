import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { type LaneOfJobs, findLanes } from '../base/order/find-lanes.js';

export interface RunningOfWorker {
  readonly count: number;
  /** The ids of some of its jobs, in the order of their claims. */
  readonly ids: readonly Buffer[];
}

/** The running jobs of a worker in a queue. */
interface CountedLane {
  readonly queue: string;
  readonly owner: number;
  readonly jobs: number;
  /** The number of the first claim. */
  readonly first: number;
}

interface ClaimedJob {
  readonly id: Buffer;
  readonly owner: number | string;
  readonly position: number | string;
}

/**
 * Counts the running jobs of workers, and finds those that each of them claimed first. A worker without running jobs is
 * missing.
 *
 * Index: the lanes; then the running jobs of the queues where these workers have some, and the first
 * entries of some lanes. No row is read. Locks nothing.
 *
 * @param ids of the workers.
 * @param most how many jobs of each worker are found.
 */
export function* findRunning(
  dialect: Dialect,
  ids: ReadonlySet<number>,
  most: number,
): Operation<Map<number, RunningOfWorker>> {
  const lanes = groupBy(yield* countLanes(dialect, ids), ({ owner }) => owner);
  const first = groupBy(
    // Each lane has a job that was claimed before all jobs of the lanes after it, so later lanes have none of the first.
    yield* findFirst(
      dialect,
      [...lanes.values()].flatMap((own) => own.toSorted((one, other) => one.first - other.first).slice(0, most)),
      most,
    ),
    ({ owner }) => Number(owner),
  );
  return new Map(
    [...lanes].map(([id, own]) => [
      id,
      {
        count: own.reduce((total, { jobs }) => total + jobs, 0),
        ids: inKeyOrder(first.get(id) ?? [])
          .sort((one, other) => Number(one.position) - Number(other.position))
          .slice(0, most)
          .map((job) => job.id),
      },
    ]),
  );
}

function* countLanes(dialect: Dialect, ids: ReadonlySet<number>): Operation<CountedLane[]> {
  const { tables, byLane } = dialect;
  const isTheirs = ({ state, lane }: LaneOfJobs) => state === 'running' && ids.has(lane);
  const busy = new Set((yield* findLanes(dialect)).filter(isTheirs).map(({ queue }) => queue));
  const lanes: CountedLane[] = [];
  for (const queues of chunksOf([...busy], mostUnited(dialect))) {
    // One equality each: of a list of queues, MySQL may read the whole index.
    const selects = queues.map(
      (queue, index) =>
        sql`SELECT ${sql.integer(index)} AS queue, lane AS owner, COUNT(*) AS jobs, MIN(position) AS earliest
            FROM ${tables.job} ${byLane} WHERE queue = ${queue} AND state = 'running' GROUP BY lane`,
    );
    const rows = yield* select<Record<'queue' | 'owner' | 'jobs' | 'earliest', number | string>>(
      sql.join(selects, sql` UNION ALL `),
    );
    lanes.push(
      ...rows.map(({ queue, owner, jobs, earliest }) => {
        return {
          queue: queues[Number(queue)] as string,
          owner: Number(owner),
          jobs: Number(jobs),
          first: Number(earliest),
        };
      }),
    );
  }
  return lanes.filter(({ owner }) => ids.has(owner));
}

/** Finds the first jobs of each lane. */
function* findFirst(dialect: Dialect, lanes: readonly CountedLane[], most: number): Operation<ClaimedJob[]> {
  const { tables, byLane } = dialect;
  const found: ClaimedJob[] = [];
  for (const chunk of chunksOf(lanes, mostUnited(dialect))) {
    const selects = chunk.map(
      ({ queue, owner }, index) =>
        sql`SELECT * FROM (
              SELECT id, lane AS owner, position FROM ${tables.job} ${byLane}
              WHERE queue = ${queue} AND state = 'running' AND lane = ${owner}
              ORDER BY position, id LIMIT ${sql.integer(most)}
            ) first_${sql.integer(index)}`,
    );
    found.push(...(yield* select<ClaimedJob>(sql.join(selects, sql` UNION ALL `))));
  }
  return found;
}

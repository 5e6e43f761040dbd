import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { type JobCount, cappedCount } from '../base/jobs/job-count.js';

/** A worker and the queues it claims from. */
export interface RunningRequest {
  readonly id: number;
  readonly queues: readonly string[];
}

export interface RunningOfWorker {
  readonly count: JobCount;
  /** The ids of some of its jobs, in their order. */
  readonly ids: readonly Buffer[];
}

/** Counting stops here in each queue of a worker. */
const MOST_COUNTED = 1_000;

/**
 * Counts the running jobs of workers, and finds some of them.
 *
 * Index: a lane for each worker and queue, up to a limit; no row is read. Locks nothing.
 *
 * @param most how many jobs of each worker and queue are found.
 */
export function* findRunning(
  dialect: Dialect,
  workers: readonly RunningRequest[],
  most: number,
): Operation<Map<number, RunningOfWorker>> {
  const { tables, byLane } = dialect;
  const found = new Map<number, RunningOfWorker>();
  for (const lanes of chunksOf(
    workers.flatMap(({ id, queues }) => queues.map((queue) => ({ queue, id }))),
    // Each lane takes two SELECTs of a UNION.
    Math.ceil(mostUnited(dialect) / 2),
  )) {
    const selects = lanes.map(({ queue, id }, index) => {
      const lane = sql.integer(index);
      const running = sql`FROM ${tables.job} ${byLane} WHERE queue = ${queue} AND state = 'running' AND lane = ${id}`;
      return sql`SELECT * FROM (
                   SELECT ${lane} AS lane, NULL AS jobs, id ${running} LIMIT ${sql.integer(most)}
                 ) ids_${lane}
                 UNION ALL
                 SELECT ${lane}, COUNT(*), NULL
                 FROM (SELECT 1 ${running} LIMIT ${sql.integer(MOST_COUNTED + 1)}) jobs_${lane}`;
    });
    const rows = yield* select<{ lane: number | string; jobs: number | string | null; id: Buffer }>(
      sql.join(selects, sql` UNION ALL `),
    );
    for (const [index, { id }] of lanes.entries()) {
      const own = rows.filter(({ lane }) => Number(lane) === index);
      const { count, isCapped } = cappedCount(Number(own.find(({ jobs }) => jobs !== null)?.jobs), MOST_COUNTED);
      const before = found.get(id);
      found.set(id, {
        count: {
          count: (before?.count.count ?? 0) + count,
          isCapped: before?.count.isCapped === true || isCapped,
        },
        ids: [...(before?.ids ?? []), ...inKeyOrder(own.filter(({ jobs }) => jobs === null)).map((row) => row.id)],
      });
    }
  }
  return found;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import type { JobCount } from '../reports/count-jobs.js';
import { inKeyOrder } from '../base/fence.js';
import { MOST_UNITED, chunksOf } from '../base/chunks.js';

/** A worker, and the queues it claims from. */
export interface RunningRequest {
  readonly id: number;
  readonly queues: readonly string[];
}

/** What a worker runs. */
export interface RunningOfWorker {
  readonly count: JobCount;
  /** The ids of some of its jobs, in their order. */
  readonly ids: readonly Buffer[];
}

/** A lane takes two parts of a UNION. */
const MOST_LANES = MOST_UNITED / 2;
/** Where counting ends, in each queue of a worker. */
const MOST_COUNTED = 1_000;

/**
 * What workers run: how many jobs, and some of them.
 *
 * Index: a lane for each worker and queue, up to a limit; no row is read. Locks nothing.
 *
 * @param most how many jobs of each worker and queue.
 */
export function* findRunning(
  { tables, byLane }: Dialect,
  workers: readonly RunningRequest[],
  most: number,
): Operation<Map<number, RunningOfWorker>> {
  const found = new Map<number, RunningOfWorker>();
  for (const lanes of chunksOf(
    workers.flatMap(({ id, queues }) => queues.map((queue) => ({ queue, id }))),
    MOST_LANES,
  )) {
    const where = `FROM ${tables.job} ${byLane} WHERE queue = ? AND state = 'running' AND owner = ?`;
    const parts = lanes.map(
      (_lane, index) =>
        `SELECT * FROM (SELECT ${index} AS lane, NULL AS jobs, id ${where} LIMIT ${Math.trunc(most)}) lane_${index}
         UNION ALL
         SELECT ${index}, COUNT(*), NULL FROM (SELECT 1 ${where} LIMIT ${MOST_COUNTED + 1}) lane_${index}`,
    );
    const rows = yield* select<{ lane: number | string; jobs: number | string | null; id: Buffer }>(
      parts.join(' UNION ALL '),
      lanes.flatMap(({ queue, id }) => [queue, id, queue, id]),
    );
    for (const [index, { id }] of lanes.entries()) {
      const own = rows.filter(({ lane }) => Number(lane) === index);
      const count = Number(own.find(({ jobs }) => jobs !== null)?.jobs);
      const before = found.get(id);
      found.set(id, {
        count: {
          count: (before?.count.count ?? 0) + Math.min(count, MOST_COUNTED),
          isCapped: before?.count.isCapped === true || count > MOST_COUNTED,
        },
        ids: [...(before?.ids ?? []), ...inKeyOrder(own.filter(({ jobs }) => jobs === null)).map((row) => row.id)],
      });
    }
  }
  return found;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from './chunks.js';

/** The running jobs of one owner in one queue. */
export interface RunningLane {
  readonly queue: string;
  readonly owner: number;
}

/** The lane of a worker without a lease. */
export interface AbandonedLane extends RunningLane {
  /** How long ago the lease ended, in ms; undefined if the worker is not registered. */
  readonly endedFor: number | undefined;
}

/**
 * Finds lanes of running jobs whose owner has had no lease for some ms, or is not registered. Index: the lanes of
 * running jobs, no job. Locks nothing.
 *
 * One statement for the lanes and the leases, so one view of both. A worker registers before it claims, so a worker
 * that is seen with jobs is also seen with its lease.
 */
export function* findAbandonedLanes(
  dialect: Dialect,
  queues: readonly string[],
  milliseconds = 0,
): Operation<AbandonedLane[]> {
  const { tables, now } = dialect;
  const abandoned: AbandonedLane[] = [];
  for (const some of chunksOf(queues, MOST_IDS)) {
    const rows = yield* select<{ queue: string; owner: number | string; ago: number | string | null }>(
      sql`SELECT lanes.queue, lanes.owner, ${now} - worker.lease_until AS ago
          FROM (${dialect.runningLanes(some)}) lanes
          LEFT JOIN ${tables.worker} worker ON worker.id = lanes.owner
          WHERE worker.id IS NULL OR worker.lease_until <= ${now} - ${milliseconds}`,
    );
    abandoned.push(
      ...rows.map(({ queue, owner, ago }) => ({
        queue,
        owner: Number(owner),
        endedFor: ago === null ? undefined : Number(ago),
      })),
    );
  }
  return abandoned;
}

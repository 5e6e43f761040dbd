import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, select } from '../engine/operation.js';
import { type Batch, moveBatchIntoReady } from './lane.js';

/** The running jobs of one owner in one queue. */
export interface RunningLane {
  readonly queue: string;
  readonly owner: number;
}

/**
 * The lanes of running jobs whose owner has no lease: it has ended, or there is no such worker any more. Reads the
 * lanes only, no job.
 *
 * One statement, so one view of the data: a worker registers before it claims, so whoever is seen with jobs and has a
 * lease is seen with it.
 */
export function* abandonedLanes(dialect: Dialect): Operation<RunningLane[]> {
  const rows = yield* select<{ queue: string; owner: number | string }>(
    `SELECT lanes.queue, lanes.owner
     FROM (${dialect.lanes}) lanes
     LEFT JOIN ${dialect.tables.worker} worker ON worker.id = lanes.owner AND worker.lease_until > ${dialect.now}
     WHERE lanes.state = 'running' AND worker.id IS NULL`,
  );
  return rows.map(({ queue, owner }) => ({ queue, owner: Number(owner) }));
}

/**
 * running → ready, for jobs of an owner without a lease. No attempt is charged.
 *
 * A lease that has ended is never renewed (see `renewLease`), so the owner cannot come back between the look and this.
 * What it still sends is fenced off: its jobs have no owner now, and a higher attempt soon. A crash anywhere leaves a
 * lane that the next run finds again.
 *
 * Index: the lane, then the primary key. Locks: the freed rows, passing over those a late completion of the owner holds
 * just now.
 */
export function* reapLane(dialect: Dialect, { queue, owner }: RunningLane): Operation<Batch> {
  return yield* moveBatchIntoReady(dialect, { queue, state: 'running', owner });
}

/** Whether there are workers whose lease has ended. Only reads. */
export function* hasExpiredWorkers(dialect: Dialect): Operation<boolean> {
  const rows = yield* select(`SELECT 1 FROM ${dialect.tables.worker} WHERE lease_until <= ${dialect.now} LIMIT 1`);
  return rows.length > 0;
}

/** Forgets workers whose lease has ended. Jobs they may still have are found without them. */
export function* deleteExpiredWorkers(dialect: Dialect): Operation<number> {
  return yield* change(`DELETE FROM ${dialect.tables.worker} WHERE lease_until <= ${dialect.now}`);
}

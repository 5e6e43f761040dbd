import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, select } from '../engine/operation.js';
import { type Batch, INTO_READY_LANE_AFTER_CRASH, moveBatchIntoReady } from './lane.js';

/** The running jobs of one owner in one queue. */
export interface RunningLane {
  readonly queue: string;
  readonly owner: number;
}

/** What there is for the reaper to do. */
export interface Remains {
  /** The lanes of running jobs whose owner has no lease: it has ended, or there is no such worker any more. */
  readonly lanes: readonly RunningLane[];
  /** Whether workers have a lease that has ended. */
  readonly hasWorkers: boolean;
  /** Whether there are requests to cancel running jobs. */
  readonly hasCancellations: boolean;
  /** Whether there are unique keys whose window is over. */
  readonly hasWindows: boolean;
  /** Whether there are groups that have not finished. */
  readonly hasGroups: boolean;
}

/**
 * Finds what dead workers, and jobs that have ended, have left. Reads the lanes only, no job.
 *
 * One statement, so one view of the data: a worker registers before it claims, so whoever is seen with jobs and has a
 * lease is seen with it.
 */
export function* findRemains(dialect: Dialect): Operation<Remains> {
  const { worker, cancellation, unique, group } = dialect.tables;
  const rows = yield* select<{ kind: string; queue: string | null; owner: number | string }>(
    `SELECT 'lane' AS kind, lanes.queue, lanes.owner
     FROM (${dialect.lanes}) lanes
     LEFT JOIN ${worker} worker ON worker.id = lanes.owner AND worker.lease_until > ${dialect.now}
     WHERE lanes.state = 'running' AND worker.id IS NULL
     UNION ALL
     SELECT 'worker', NULL, id FROM ${worker} WHERE lease_until <= ${dialect.now}
     UNION ALL
     SELECT * FROM (SELECT 'cancellation', NULL, 0 FROM ${cancellation} LIMIT 1) cancellations
     UNION ALL
     SELECT * FROM (
       SELECT 'window', NULL, 0 FROM ${unique} WHERE lasts = 'window' AND window_until <= ${dialect.now} LIMIT 1
     ) windows
     UNION ALL
     SELECT * FROM (SELECT 'group', NULL, 0 FROM ${group} WHERE finished_at IS NULL LIMIT 1) open_groups`,
  );
  return {
    lanes: rows.flatMap(({ queue, owner }) => (queue === null ? [] : [{ queue, owner: Number(owner) }])),
    hasWorkers: rows.some(({ kind }) => kind === 'worker'),
    hasCancellations: rows.some(({ kind }) => kind === 'cancellation'),
    hasWindows: rows.some(({ kind }) => kind === 'window'),
    hasGroups: rows.some(({ kind }) => kind === 'group'),
  };
}

/**
 * running → ready, for jobs of an owner without a lease. No failure is charged, but a crash is counted.
 *
 * A lease that has ended is never renewed (see `renewLease`), so the owner cannot come back between the look and this.
 * What it still sends is fenced off: its jobs have no owner now, and a higher attempt soon. A crash anywhere leaves a
 * lane that the next run finds again.
 *
 * Index: the lane, then the primary key. Locks: the freed rows, passing over those a late completion of the owner holds
 * just now.
 */
export function* reapLane(dialect: Dialect, { queue, owner }: RunningLane): Operation<Batch> {
  return yield* moveBatchIntoReady(dialect, { queue, state: 'running', owner }, INTO_READY_LANE_AFTER_CRASH);
}

/** Forgets workers whose lease has ended. Jobs they may still have are found without them. */
export function* deleteExpiredWorkers(dialect: Dialect): Operation<number> {
  return yield* change(`DELETE FROM ${dialect.tables.worker} WHERE lease_until <= ${dialect.now}`);
}

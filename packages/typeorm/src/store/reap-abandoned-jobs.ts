import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, select } from '../engine/operation.js';
import { MOST_IDS, inParts } from './in-parts.js';
import { type Batch, INTO_READY_LANE_AFTER_CRASH, moveBatchIntoReady, queuesWithJobs } from './lane.js';

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

/** Finds what dead workers, and jobs that have ended, have left. Reads the lanes only, no job. */
export function* findRemains(dialect: Dialect): Operation<Remains> {
  const { worker, cancellation, unique, group } = dialect.tables;
  const lanes = yield* abandonedLanes(dialect);
  const rows = yield* select<{ kind: string }>(
    `SELECT * FROM (SELECT 'worker' AS kind FROM ${worker} WHERE lease_until <= ${dialect.now} LIMIT 1) workers
     UNION ALL
     SELECT * FROM (SELECT 'cancellation' FROM ${cancellation} LIMIT 1) cancellations
     UNION ALL
     SELECT * FROM (
       SELECT 'window' FROM ${unique} WHERE lasts = 'window' AND window_until <= ${dialect.now} LIMIT 1
     ) windows
     UNION ALL
     SELECT * FROM (SELECT 'group' FROM ${group} WHERE finished_at IS NULL LIMIT 1) open_groups`,
  );
  return {
    lanes,
    hasWorkers: rows.some(({ kind }) => kind === 'worker'),
    hasCancellations: rows.some(({ kind }) => kind === 'cancellation'),
    hasWindows: rows.some(({ kind }) => kind === 'window'),
    hasGroups: rows.some(({ kind }) => kind === 'group'),
  };
}

/**
 * One statement for the lanes of a queue and the leases, so one view of the data: a worker registers before it claims, so
 * whoever is seen with jobs and has a lease is seen with it.
 */
function* abandonedLanes(dialect: Dialect): Operation<RunningLane[]> {
  const abandoned: RunningLane[] = [];
  for (const queues of inParts(yield* queuesWithJobs(dialect), MOST_IDS)) {
    const rows = yield* select<{ queue: string; owner: number | string }>(
      `SELECT lanes.queue, lanes.owner
       FROM (${dialect.runningLanes(queues.length)}) lanes
       LEFT JOIN ${dialect.tables.worker} worker ON worker.id = lanes.owner AND worker.lease_until > ${dialect.now}
       WHERE worker.id IS NULL`,
      queues,
    );
    abandoned.push(...rows.map(({ queue, owner }) => ({ queue, owner: Number(owner) })));
  }
  return abandoned;
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

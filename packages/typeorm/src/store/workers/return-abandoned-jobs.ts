import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../../engine/operation.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { type Batch, INTO_READY_LANE_AFTER_CRASH, moveBatchIntoReady } from '../base/lane.js';

/** The running jobs of one owner in one queue. */
export interface RunningLane {
  readonly queue: string;
  readonly owner: number;
}

/** A job whose worker died, or lost its lease, while it ran. */
export interface StalledJob {
  readonly id: Buffer;
  readonly queue: string;
  readonly name: string;
  readonly key: string | null;
  readonly tenant: string | null;
  /** The attempt that was broken off. */
  readonly attempt: number;
  readonly failures: number;
}

/** What one transaction of the reaper did to a lane. */
export interface ReturnedBatch extends Batch {
  /** The jobs it freed, if somebody wants to know. */
  readonly stalled: readonly StalledJob[];
}

/** What there is for the reaper to do. */
export interface ReaperTasks {
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
 * Finds what dead workers, and jobs that have ended, have left. Reads the lanes only, no job. One statement where there are
 * no jobs: idle workers send it every few seconds.
 */
export function* findReaperTasks(dialect: Dialect): Operation<ReaperTasks> {
  const { worker, cancellation, unique, group } = dialect.tables;
  const rows = yield* select<{ kind: string; queue: string }>(
    `SELECT 'queue' AS kind, queue FROM (${dialect.queues}) queues
     UNION ALL
     SELECT * FROM (SELECT 'worker', NULL FROM ${worker} WHERE lease_until <= ${dialect.now} LIMIT 1) workers
     UNION ALL
     SELECT * FROM (SELECT 'cancellation', NULL FROM ${cancellation} LIMIT 1) cancellations
     UNION ALL
     SELECT * FROM (
       SELECT 'window', NULL FROM ${unique} WHERE lasts = 'window' AND window_until <= ${dialect.now} LIMIT 1
     ) windows
     UNION ALL
     SELECT * FROM (SELECT 'group', NULL FROM ${group} WHERE finished_at IS NULL LIMIT 1) open_groups`,
  );
  const queues = rows.filter(({ kind }) => kind === 'queue').map(({ queue }) => queue);
  return {
    lanes: yield* abandonedLanes(dialect, queues),
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
function* abandonedLanes(dialect: Dialect, queues: readonly string[]): Operation<RunningLane[]> {
  const abandoned: RunningLane[] = [];
  for (const some of chunksOf(queues, MOST_IDS)) {
    const rows = yield* select<{ queue: string; owner: number | string }>(
      `SELECT lanes.queue, lanes.owner
       FROM (${dialect.runningLanes(some.length)}) lanes
       LEFT JOIN ${dialect.tables.worker} worker ON worker.id = lanes.owner AND worker.lease_until > ${dialect.now}
       WHERE worker.id IS NULL`,
      some,
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
 *
 * @param names whether to read which jobs they were: one more statement, by primary key, of rows that are locked.
 */
export function* returnAbandonedJobs(dialect: Dialect, lane: RunningLane, names: boolean): Operation<ReturnedBatch> {
  const { queue, owner } = lane;
  const batch = yield* moveBatchIntoReady(dialect, { queue, state: 'running', owner }, INTO_READY_LANE_AFTER_CRASH);
  return { ...batch, stalled: names && batch.moved > 0 ? yield* readStalled(dialect, queue, batch.ids) : [] };
}

function* readStalled(
  { tables, byPrimaryKey }: Dialect,
  queue: string,
  ids: readonly Buffer[],
): Operation<StalledJob[]> {
  const rows = yield* select(
    `SELECT id, name, job_key, tenant, attempt, failures FROM ${tables.job} ${byPrimaryKey}
     WHERE id IN (${placeholders(ids)})`,
    ids,
  );
  return rows.map((row) => ({
    id: row.id as Buffer,
    queue,
    name: row.name as string,
    key: row.job_key as string | null,
    tenant: row.tenant as string | null,
    attempt: Number(row.attempt),
    failures: Number(row.failures),
  }));
}

/** Forgets workers whose lease has ended. Jobs they may still have are found without them. */
export function* deleteExpiredWorkers(dialect: Dialect): Operation<number> {
  return yield* change(`DELETE FROM ${dialect.tables.worker} WHERE lease_until <= ${dialect.now}`);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { PACKAGE_VERSION } from '../../package-version.js';
import type { HeldLock } from './missing-workers.js';
import { type WorkerQueue, queuesToText } from './worker-queues.js';

/** A worker about to be registered. */
export interface NewWorker {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  readonly queues: readonly WorkerQueue[];
  /** How long the lease lasts, in ms. */
  readonly lease: number;
  /** The named lock it holds; without one its lease alone tells that it lives. */
  readonly lock: HeldLock | undefined;
}

/**
 * Registers a worker, before its first claim.
 *
 * @returns false when the id is taken; it is drawn at random, so that an id is not handed out again after a restart.
 */
export function* registerWorker(dialect: Dialect, worker: NewWorker): Operation<boolean> {
  const inserted = yield* change(
    `${dialect.insertIgnore} ${dialect.tables.worker} (id, host, pid, version, queues, started_at, seen_at, lease_until, lock_name, lock_server)
     VALUES (?, ?, ?, ?, ?, ${dialect.now}, ${dialect.now}, ${dialect.now} + ?, ?, ?)`,
    [
      worker.id,
      worker.host,
      worker.pid,
      PACKAGE_VERSION,
      queuesToText(worker.queues),
      worker.lease,
      worker.lock?.name ?? null,
      worker.lock?.server ?? null,
    ],
  );
  return inserted === 1;
}

/**
 * Renews a lease that has not ended. One that has is over for good: others may be taking its jobs already, so the
 * worker has to register anew. Says at the same time which lock the worker holds now, where that has changed: one that
 * comes late, behind others that were sent after it, must not say what was true before.
 *
 * @param lock left out: as before; null: none any more.
 * @returns whether the worker still had its lease.
 */
export function* renewLease(
  dialect: Dialect,
  { id, lease, lock }: Pick<NewWorker, 'id' | 'lease'> & { readonly lock?: HeldLock | null },
): Operation<boolean> {
  const marks = lock === undefined ? [] : [lock?.name ?? null, lock?.server ?? null];
  const renewed = yield* change(
    `UPDATE ${dialect.tables.worker}
     SET seen_at = ${dialect.now}, lease_until = ${dialect.now} + ?${marks.length > 0 ? ', lock_name = ?, lock_server = ?' : ''}
     WHERE id = ? AND lease_until > ${dialect.now}`,
    [lease, ...marks, id],
  );
  return renewed === 1;
}

/** Forgets a worker that has stopped. Jobs it could not hand back are found by the reaper at once. */
export function* deregisterWorker(dialect: Dialect, id: number): Operation<void> {
  yield* change(`DELETE FROM ${dialect.tables.worker} WHERE id = ?`, [id]);
}

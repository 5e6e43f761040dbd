import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { PACKAGE_VERSION } from '../../package-version.js';
import type { HeldLock } from '../base/locks/missing-workers.js';
import { type WorkerQueue, queuesToText } from './worker-queues.js';

export interface NewWorker {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  readonly queues: readonly WorkerQueue[];
  /** The length of the lease, in ms. */
  readonly lease: number;
  /** The named lock it holds; without one, only its lease shows that it is alive. */
  readonly lock: HeldLock | undefined;
}

/**
 * Registers a worker, before its first claim. Index and lock: the primary key.
 *
 * @returns false if the id is taken: ids are random, so that a restart does not reuse them.
 */
export function* registerWorker(dialect: Dialect, worker: NewWorker): Operation<boolean> {
  const { tables, insertIgnore, now } = dialect;
  const { id, host, pid, queues, lease, lock } = worker;
  const inserted = yield* change(
    sql`${insertIgnore} ${tables.worker}
          (id, host, pid, version, queues, started_at, seen_at, lease_until, lock_name, lock_server)
        VALUES (${id}, ${host}, ${pid}, ${PACKAGE_VERSION}, ${queuesToText(queues)}, ${now}, ${now}, ${now} + ${lease},
                ${lock?.name ?? null}, ${lock?.server ?? null})`,
  );
  return inserted === 1;
}

/**
 * Renews a lease that has not ended. An ended lease stays ended, because other workers may be taking its jobs: the
 * worker must register again. See docs/decisions/0041. Index and lock: the primary key.
 *
 * It also stores the lock that the worker holds, if that has changed. A delayed renewal must not overwrite a later one,
 * so it stores none if the lock is unchanged.
 *
 * @param lock undefined: unchanged; null: the worker holds none.
 * @returns whether the worker still had its lease.
 */
export function* renewLease(
  { tables, now }: Dialect,
  { id, lease, lock }: Pick<NewWorker, 'id' | 'lease'> & { readonly lock?: HeldLock | null },
): Operation<boolean> {
  const setLock =
    lock === undefined ? sql.empty : sql`, lock_name = ${lock?.name ?? null}, lock_server = ${lock?.server ?? null}`;
  const renewed = yield* change(
    sql`UPDATE ${tables.worker} SET seen_at = ${now}, lease_until = ${now} + ${lease}${setLock}
        WHERE id = ${id} AND lease_until > ${now}`,
  );
  return renewed === 1;
}

/** Deletes a worker that has stopped. The reaper then finds jobs that it could not return. */
export function* deregisterWorker({ tables }: Dialect, id: number): Operation<void> {
  yield* change(sql`DELETE FROM ${tables.worker} WHERE id = ${id}`);
}

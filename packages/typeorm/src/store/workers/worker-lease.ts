import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { PACKAGE_VERSION } from '../../package-version.js';
import type { WorkerRequest } from '../../tables/worker.js';
import type { HeldLock } from '../base/locks/missing-workers.js';
import { type StoredRequest, type WorkerReport, assignReport } from './worker-report.js';
import { type WorkerQueue, queuesToText } from './worker-queues.js';

export interface NewWorker {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  /** The version of the application's code; null if unknown. */
  readonly codeVersion: string | null;
  readonly queues: readonly WorkerQueue[];
  /** The length of the lease, in ms. */
  readonly lease: number;
  /** The named lock it holds; without one, only its lease shows that it is alive. */
  readonly lock: HeldLock | undefined;
  readonly report: WorkerReport;
  /** What was requested of it before it lost its lease, and applies on. */
  readonly request: StoredRequest;
}

/**
 * Registers a worker, before its first claim. Index and lock: the primary key.
 *
 * @returns false if the id is taken: ids are random, so that a restart does not reuse them.
 */
export function* registerWorker(dialect: Dialect, worker: NewWorker): Operation<boolean> {
  const { tables, insertIgnore, now } = dialect;
  const { id, host, pid, codeVersion, queues, lease, lock, report, request } = worker;
  const inserted = yield* change(
    sql`${insertIgnore} ${tables.worker}
          (id, host, pid, version, code_version, queues, started_at, seen_at, lease_until, lock_name, lock_server,
           state, requested, requested_by, requested_at,
           rss, heap_used, delay_p99, delay_max, blocked_at, blocked_for)
        VALUES (${id}, ${host}, ${pid}, ${PACKAGE_VERSION}, ${codeVersion}, ${queuesToText(queues)},
                ${now}, ${now}, ${now} + ${lease}, ${lock?.name ?? null}, ${lock?.server ?? null},
                ${report.state}, ${request.requested}, ${request.by}, ${request.at},
                ${report.rss}, ${report.heapUsed}, ${report.delayP99}, ${report.delayMax},
                ${report.isBlocked ? now : sql`NULL`}, ${report.isBlocked ? report.delayMax : null})`,
  );
  return inserted === 1;
}

/** What a worker writes when it renews its lease. */
export interface LeaseRenewal extends Pick<NewWorker, 'id' | 'lease' | 'report'> {
  /** Undefined: unchanged; null: the worker holds none. */
  readonly lock?: HeldLock | null;
  /** What the worker knows to be requested of it. */
  readonly known: WorkerRequest;
}

/** What a renewal found. */
export interface RenewalResult {
  /** Whether the worker still had its lease. */
  readonly isHeld: boolean;
  /** What is requested of it; undefined if that is known, or if its row is gone. */
  readonly request: StoredRequest | undefined;
}

/**
 * Renews a lease that has not ended. An ended lease stays ended, because other workers may be taking its jobs: the
 * worker must register again. See docs/decisions/0041. Index and lock: the primary key.
 *
 * It also stores the report of the worker, and the lock that it holds, if that has changed. A delayed renewal must not
 * overwrite a later one, so it stores no lock if that is unchanged. An old report is replaced with the next renewal.
 *
 * One statement, unless something new was requested of the worker, or its lease has ended. See docs/decisions/0145.
 */
export function* renewLease(dialect: Dialect, renewal: LeaseRenewal): Operation<RenewalResult> {
  const { tables, now } = dialect;
  const { id, lease, lock, report, known } = renewal;
  const setLock =
    lock === undefined ? sql.empty : sql`, lock_name = ${lock?.name ?? null}, lock_server = ${lock?.server ?? null}`;
  const renew = function* (condition: Fragment): Operation<boolean> {
    const renewed = yield* change(
      sql`UPDATE ${tables.worker}
          SET seen_at = ${now}, lease_until = ${now} + ${lease}, ${assignReport(dialect, report)}${setLock}
          WHERE id = ${id} AND lease_until > ${now}${condition}`,
    );
    return renewed === 1;
  };
  if (yield* renew(sql` AND requested = ${known}`)) {
    return { isHeld: true, request: undefined };
  }
  const isHeld = yield* renew(sql.empty);
  const [row] = yield* select<RequestRow>(
    sql`SELECT requested, requested_by, requested_at FROM ${tables.worker} WHERE id = ${id}`,
  );
  return { isHeld, request: row === undefined || row.requested === known ? undefined : toRequest(row) };
}

interface RequestRow {
  readonly requested: WorkerRequest;
  readonly requested_by: string | null;
  readonly requested_at: number | string | null;
}

function toRequest({ requested, requested_by: by, requested_at: at }: RequestRow): StoredRequest {
  return { requested, by, at: at === null ? null : Number(at) };
}

/** Deletes a worker that has stopped. The reaper then finds jobs that it could not return. */
export function* deregisterWorker({ tables }: Dialect, id: number): Operation<void> {
  yield* change(sql`DELETE FROM ${tables.worker} WHERE id = ${id}`);
}

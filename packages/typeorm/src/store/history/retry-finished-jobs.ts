import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { DuplicateJobError } from '../../errors/index.js';
import { deleteCancellations } from '../base/jobs/delete-cancellations.js';
import { deleteById } from '../base/delete-by-id.js';
import { freeTakenKeys } from '../base/keys/take-keys.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../base/jobs/queued-job.js';
import { readyPosition } from '../base/order/sort-key.js';
import { laneOf } from '../base/order/tenant-lane.js';
import { deleteFailures } from './delete-finished-jobs.js';
import { takeKeysAgain } from './take-keys-again.js';

export interface RetryRequest {
  readonly id: Buffer;
  /** Only if it finished at this time, in ms: it may have been retried and have finished again. Undefined: any time. */
  readonly finishedAt?: number;
}

/** What became of the requests. Jobs in neither list are not in the history, or locked. */
export interface RetriedJobs {
  readonly retried: readonly QueuedJob[];
  /** An error for each job whose unique key another job has. */
  readonly conflicts: readonly DuplicateJobError[];
}

interface FinishedRow extends QueuedRow {
  readonly name: string;
  readonly unique_key: string | null;
  readonly state: string;
  readonly finished_at: number | string;
}

/**
 * failed or cancelled → ready: moves jobs from the history to the live table, under the same id, after the jobs that
 * are already ready. Part of a transaction: until its commit the job is in the history, then in the live table.
 *
 * - The attempt number goes on, so completions of an earlier worker stay fenced. Failures and crashes restart at 0.
 * - The key and the errors are kept. A unique key that lasts until the job is finished is taken again, see
 *   `take-keys-again.ts`; if another job has it the job stays as it is.
 * - The failure is deleted, and so is a late request to cancel the job, which would end its next attempt.
 *
 * Index: the primary keys. Locks: the history's rows, in the order of their ids. Only rows found by a plain read are
 * locked, because a locking read of a missing row locks a gap at REPEATABLE READ. In a long transaction the plain read
 * may find a row that is gone: then one gap is locked and the job is not retried. A second run changes nothing.
 *
 * @param requests in key order.
 * @param skipsLocked skips jobs that another transaction is retrying or deleting; otherwise waits for them.
 */
export function* retryFinishedJobs(
  dialect: Dialect,
  requests: readonly RetryRequest[],
  skipsLocked: boolean,
): Operation<RetriedJobs> {
  const found = yield* lockRetryable(dialect, requests, skipsLocked);
  const { free: locked, conflicts } = yield* takeKeysAgain(dialect, found);
  if (locked.length === 0) {
    return { retried: [], conflicts };
  }
  const { tables, byPrimaryKey, now } = dialect;
  const ids = locked.map(({ id }) => id);
  const lane = laneOfRow(locked);
  try {
    yield* change(
      sql`INSERT INTO ${tables.job}
            (id, queue, state, owner, lane, position, name, job_key, unique_key, payload, payload_version, priority,
             attempt, failures, crashes, last_error, progress, tenant, trace, created_at, run_at, claimed_at)
          SELECT id, queue, 'ready', ${lane}, ${lane}, ${readyPosition(sql`priority`, now)}, name, job_key, unique_key,
            payload, payload_version, priority, attempt, 0, 0, error, progress, tenant, trace, created_at, ${now},
            COALESCE(claimed_at, 0)
          FROM ${tables.history} ${byPrimaryKey} WHERE id IN (${sql.list(ids)})`,
    );
  } catch (error) {
    // The caller may go on and commit its transaction.
    const taken = locked.flatMap(({ id, name, unique_key: key }) => (key === null ? [] : [{ name, key, jobId: id }]));
    yield* freeTakenKeys(dialect, taken);
    throw error;
  }
  yield* deleteFailures(dialect, locked);
  yield* deleteCancellations(dialect, ids);
  yield* deleteById(dialect, 'history', ids);
  return { retried: locked.map(toQueuedJob), conflicts };
}

/** An expression for a row's lane, derived from its tenant: the history has no column for it. */
function laneOfRow(rows: readonly FinishedRow[]): Fragment {
  const tenants = [...new Set(rows.flatMap(({ tenant }) => tenant ?? []))];
  if (tenants.length === 0) {
    return sql`0`;
  }
  const lanes = tenants.map((tenant) => sql`WHEN ${tenant} THEN ${laneOf(tenant)}`);
  return sql`CASE tenant ${sql.join(lanes, sql` `)} ELSE 0 END`;
}

function* lockRetryable(
  dialect: Dialect,
  requests: readonly RetryRequest[],
  skipsLocked: boolean,
): Operation<readonly FinishedRow[]> {
  const { tables, byPrimaryKey, forUpdate, forUpdateSkipLocked } = dialect;
  const selectRetryable = (ids: readonly Buffer[], locking = sql.empty) =>
    sql`SELECT id, queue, name, unique_key, priority, tenant, state, finished_at FROM ${tables.history} ${byPrimaryKey}
        WHERE id IN (${sql.list(ids)}) AND state <> 'succeeded' ${locking}`;
  if (requests.length === 0) {
    return [];
  }
  const times = new Map(requests.map(({ id, finishedAt }) => [id.toString('hex'), finishedAt]));
  const isWanted = ({ id, finished_at: finishedAt }: FinishedRow) => {
    const time = times.get(id.toString('hex'));
    return time === undefined || time === Number(finishedAt);
  };
  const found = yield* select<FinishedRow>(selectRetryable(requests.map(({ id }) => id)));
  const wanted = found.filter(isWanted).map(({ id }) => id);
  if (wanted.length === 0) {
    return [];
  }
  const locked = yield* select<FinishedRow>(selectRetryable(wanted, skipsLocked ? forUpdateSkipLocked : forUpdate));
  return locked.filter(isWanted);
}

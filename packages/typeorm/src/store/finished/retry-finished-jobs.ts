import { isChildSet } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type DuplicateJobError, InvalidOptionError } from '../../errors/index.js';
import { deleteCancellations } from '../base/jobs/delete-cancellations.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../base/jobs/queued-job.js';
import { WITHOUT_EXPIRY } from '../base/jobs/has-expired.js';
import { freeTakenKeys } from '../base/keys/take-keys.js';
import { NO_PARENT } from '../base/steps/store-child-outcomes.js';
import { intoReadyLaneNow } from '../base/order/lane.js';
import { deletePlaces } from '../base/ordered/end-ordered.js';
import { insertOrdered } from '../base/ordered/insert-ordered.js';
import type { OrderKey, OrderedJob } from '../base/ordered/order-key.js';
import { unblockKeys } from '../base/ordered/unblock-keys.js';
import { findStepSeq, resetSteps } from './reset-steps.js';
import { takeKeysAgain } from './take-keys-again.js';

export interface RetryRequest {
  readonly id: Buffer;
  /** Only if it finished at this time, in ms: it may have been retried and have finished again. Undefined: any time. */
  readonly finishedAt?: number;
  /** Runs this step and all that were stored after it again. */
  readonly fromStep?: string;
}

/** What became of the requests. Jobs in neither list have not failed, expired or been cancelled, or are locked. */
export interface RetriedJobs {
  readonly retried: readonly QueuedJob[];
  /** An error for each job whose unique key another job has. */
  readonly conflicts: readonly DuplicateJobError[];
  /** The order keys of jobs that are not ready yet. After the commit the caller must advance them. */
  readonly orderKeys: readonly OrderKey[];
}

interface FinishedRow extends QueuedRow {
  readonly name: string;
  readonly unique_key: string | null;
  readonly order_key: string | null;
  readonly blocks_key: number | string;
  readonly group_id: Buffer | null;
  readonly finished_at: number | string;
}

/**
 * failed, cancelled or expired → ready, under the same id, after the jobs that are already ready. A job with an order
 * comes last of its key, unless it blocks the key. Part of a transaction.
 *
 * - The attempt number goes on, so completions of an earlier worker stay fenced. Failures and crashes restart at 0.
 * - It starts without an expiry time, however late.
 * - The key and the errors are kept. A unique key that lasts until the job is finished is taken again, see
 *   `take-keys-again.ts`; if another job has it the job stays as it is.
 * - Steps that have failed run again, see `reset-steps.ts`.
 * - A late request to cancel the job is deleted: it would end the next attempt. The job leaves its group, whose
 *   callbacks know its outcome.
 *
 * Index: the primary key. Locks: the jobs' rows, in the order of their ids. Only rows found by a plain read are locked,
 * because a locking read of a missing row locks a gap at REPEATABLE READ. A second run changes nothing.
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
    return { retried: [], conflicts, orderKeys: [] };
  }
  const { tables, byPrimaryKey } = dialect;
  const ids = locked.map(({ id }) => id);
  try {
    const fromSeq = yield* seqToRetryFrom(dialect, requests);
    const later = locked.filter(isLater).map(orderedJobOf);
    if (later.length > 0) {
      // A transaction at REPEATABLE READ may have left one.
      yield* deletePlaces(
        dialect,
        later.map(({ id }) => id),
      );
      yield* insertOrdered(dialect, later);
    }
    yield* unblockKeys(dialect, locked.filter(isBlocking).map(orderedJobOf));
    const kinds = [
      [locked.filter((job) => !isLater(job)), sql`${intoReadyLaneNow(dialect)}, owner = 0`],
      [locked.filter(isLater), sql`${INTO_WAITING_AGAIN}, position = ${dialect.now}, order_head = 0`],
    ] as const;
    for (const [own, into] of kinds.filter(([{ length }]) => length > 0)) {
      yield* change(
        sql`UPDATE ${tables.job} ${byPrimaryKey}
            SET ${into}, failures = 0, crashes = 0, group_id = NULL, finished_at = 0, ${WITHOUT_EXPIRY}
            WHERE id IN (${sql.list(own.map(({ id }) => id))}) AND ${IS_RETRYABLE}`,
      );
    }
    yield* deleteCancellations(dialect, ids);
    yield* resetSteps(dialect, ids, fromSeq);
    return { retried: locked.map(toQueuedJob), conflicts, orderKeys: later };
  } catch (error) {
    // The caller may go on and commit its transaction.
    const taken = locked.flatMap(({ id, name, unique_key: key }) => (key === null ? [] : [{ name, key, jobId: id }]));
    yield* freeTakenKeys(dialect, taken);
    throw error;
  }
}

/** Whether it has failed and is still the head of its key. */
function isBlocking({ blocks_key: blocks }: FinishedRow): boolean {
  return Number(blocks) === 1;
}

function isLater(job: FinishedRow): boolean {
  return job.order_key !== null && !isBlocking(job);
}

function orderedJobOf({ id, name, order_key: key }: FinishedRow): OrderedJob {
  return { id, name, key: key as string };
}

/** @throws InvalidOptionError if the job has no such step. */
function* seqToRetryFrom(dialect: Dialect, [request]: readonly RetryRequest[]): Operation<number | undefined> {
  if (request?.fromStep === undefined) {
    return undefined;
  }
  const seq = yield* findStepSeq(dialect, request.id, request.fromStep);
  if (seq === undefined) {
    throw new InvalidOptionError('from', request.fromStep, 'the name of a stored step or wait of the job');
  }
  return seq;
}

/** Due when it was created: the clock may be ahead now, see `advance-keys.ts`. */
const INTO_WAITING_AGAIN = sql`state = 'waiting', owner = 0, lane = 0, run_at = created_at`;

const IS_RETRYABLE = sql`state IN ('failed', 'cancelled', 'expired')`;

function* lockRetryable(
  dialect: Dialect,
  requests: readonly RetryRequest[],
  skipsLocked: boolean,
): Operation<readonly FinishedRow[]> {
  const { tables, byPrimaryKey, forUpdate, forUpdateSkipLocked } = dialect;
  const times = new Map(requests.map(({ id, finishedAt }) => [id.toString('hex'), finishedAt]));
  const selectRetryable = function* (ids: readonly Buffer[], locking: Fragment): Operation<FinishedRow[]> {
    const rows = yield* select<FinishedRow>(
      sql`SELECT id, queue, name, unique_key, order_key, group_id, priority, tenant, finished_at,
                 (state = 'failed' AND order_blocks = 1 AND order_head = 1) AS blocks_key
          FROM ${tables.job} ${byPrimaryKey}
          WHERE id IN (${sql.list(ids)}) AND ${IS_RETRYABLE} ${locking}`,
    );
    return rows.filter(({ id, finished_at: finishedAt }) => {
      const time = times.get(id.toString('hex'));
      return time === undefined || time === Number(finishedAt);
    });
  };
  const ids = requests.map(({ id }) => id);
  const found = ids.length === 0 ? [] : yield* selectRetryable(ids, sql.empty);
  if (found.length === 0) {
    return [];
  }
  const locked = yield* selectRetryable(
    found.map(({ id }) => id),
    skipsLocked ? forUpdateSkipLocked : forUpdate,
  );
  return yield* withoutChildren(dialect, locked);
}

/** Without the children of durable jobs: no job awaits their second outcome. A retry of the parent starts new ones. */
function* withoutChildren({ tables }: Dialect, jobs: readonly FinishedRow[]): Operation<readonly FinishedRow[]> {
  const sets = jobs.flatMap(({ group_id: group }) => (group !== null && isChildSet(group) ? [group] : []));
  if (sets.length === 0) {
    return jobs;
  }
  const awaited = yield* select<{ id: Buffer }>(
    sql`SELECT one.id FROM ${tables.group} one LEFT JOIN ${tables.job} parent ON parent.id = one.parent
        WHERE one.id IN (${sql.list(sets)}) AND (parent.id IS NOT NULL OR one.parent = ${NO_PARENT})`,
  );
  return jobs.filter(({ group_id: group }) => group === null || !awaited.some(({ id }) => id.equals(group)));
}

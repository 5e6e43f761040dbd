import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type LiveState, type Outcome, isLive } from '../../tables/job.js';
import { endQueued } from '../base/jobs/end-queued.js';
import { MOST_IDS } from '../base/chunks.js';
import { deleteById } from '../base/delete-by-id.js';
import { inKeyOrder, inKeyOrderOf } from '../base/locks/fence.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';

/** The result for one batch of requests to cancel jobs. */
export interface ClearedCancellations {
  /** How many jobs were cancelled. */
  readonly cancelled: number;
  /** The job of the last request in the batch; undefined if there are no more. */
  readonly end: Buffer | undefined;
}

/**
 * Cancels the jobs with a request that were returned or are waiting for a retry, and deletes the requests for finished
 * jobs. A running job keeps its request.
 *
 * Part of a transaction. Index: the primary keys, from the requests to their jobs. A job that is claimed between the
 * read and the lock keeps its request: only requests of cancelled and finished jobs are deleted. Locked requests are
 * skipped until the next run, so that the others do not wait. A second run changes nothing.
 *
 * @param after only requests for jobs with a higher id: one batch.
 */
export function* clearCancellations(dialect: Dialect, after: Buffer): Operation<ClearedCancellations> {
  const { tables } = dialect;
  const found = yield* select<{ id: Buffer; state: LiveState | Outcome | null }>(
    sql`SELECT request.job_id AS id, job.state
        FROM ${tables.cancellation} request LEFT JOIN ${tables.job} job ON job.id = request.job_id
        WHERE request.job_id > ${after} AND (job.id IS NULL OR job.state <> 'running')
        ORDER BY request.job_id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  const finished = found.filter(({ state }) => !state || !isLive(state)).map(({ id }) => id);
  const waiting = inKeyOrder(found.filter(({ state }) => state && isLive(state))).map(({ id }) => id);
  // Jobs that a transaction of the application has cancelled or replaced are skipped.
  const cancelled = yield* endQueued(dialect, waiting, 'cancelled', true);
  const done = yield* lockRequests(dialect, [...finished, ...cancelled.map(({ id }) => id)]);
  yield* deleteById(dialect, 'cancellation', done);
  return { cancelled: cancelled.length, end: found.length === MOST_IDS ? found.at(-1)?.id : undefined };
}

/**
 * Locks requests, skipping those of a transaction that has cancelled the same job again. After the jobs, in the same
 * order as a replacement locks them.
 */
function* lockRequests(dialect: Dialect, ids: readonly Buffer[]): Operation<Buffer[]> {
  const rows = yield* lockSkippingLocked<Buffer, { id: Buffer }>(
    dialect,
    inKeyOrderOf(ids, (id) => ({ id })),
    (id) => `cancellation ${id.toString('hex')}`,
    (some, locking) =>
      sql`SELECT job_id AS id FROM ${dialect.tables.cancellation} ${dialect.byPrimaryKey}
          WHERE job_id IN (${sql.list(some)}) ${locking}`,
  );
  return rows.map(({ id }) => id);
}

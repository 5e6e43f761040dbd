import type { Dialect } from '../../engine/dialect.js';
import { type Operation, placeholders, select } from '../../engine/operation.js';
import { cancelWaiting } from './cancel-jobs.js';
import { deleteById } from '../base/delete-by-id.js';
import { inKeyOrder, inKeyOrderOf } from '../base/fence.js';
import { MOST_IDS } from '../base/chunks.js';
import { lockSkippingLocked } from '../base/lock-skipping-locked.js';

/** What came of requests to cancel whose jobs do not run, or no longer. */
export interface ClearedCancellations {
  /** How many jobs were cancelled. */
  readonly cancelled: number;
  /** The job of the last request that was looked at; undefined where there are no more. */
  readonly end: Buffer | undefined;
}

/**
 * Carries out requests to cancel jobs that were handed back or are to be tried again, and forgets those of jobs that
 * have ended. A job that runs keeps its request.
 *
 * Part of a transaction. Index: the primary keys, from the requests to their jobs. A job that is claimed between the
 * look and the lock keeps its request too: only what was cancelled, or is gone for good, is deleted. A request that somebody
 * else has locked is left for the next time, so that the others do not wait for it.
 *
 * @param after only requests for jobs with a higher id: one batch.
 */
export function* clearCancellations(dialect: Dialect, after: Buffer): Operation<ClearedCancellations> {
  const { tables } = dialect;
  const found = yield* select<{ id: Buffer; state: string | null }>(
    `SELECT request.job_id AS id, job.state
     FROM ${tables.cancellation} request LEFT JOIN ${tables.job} job ON job.id = request.job_id
     WHERE request.job_id > ? AND (job.id IS NULL OR job.state <> 'running')
     ORDER BY request.job_id LIMIT ${MOST_IDS}`,
    [after],
  );
  const ended = found.filter(({ state }) => state === null).map(({ id }) => id);
  const waiting = inKeyOrder(found.filter(({ state }) => state !== null)).map(({ id }) => id);
  // A transaction of the application's that has cancelled or replaced one of them is left alone.
  const cancelled = yield* cancelWaiting(dialect, waiting, true);
  const done = yield* lockRequests(dialect, [...ended, ...cancelled.map(({ id }) => id)]);
  yield* deleteById(dialect, 'cancellation', done);
  return { cancelled: cancelled.length, end: found.length === MOST_IDS ? found.at(-1)?.id : undefined };
}

/**
 * Those that no transaction of the application's holds, which has cancelled the same job once more. Behind the jobs, as
 * whoever replaces one locks it.
 */
function* lockRequests(dialect: Dialect, ids: readonly Buffer[]): Operation<Buffer[]> {
  const { tables, byPrimaryKey } = dialect;
  const rows = yield* lockSkippingLocked<Buffer, { id: Buffer }>(
    dialect,
    inKeyOrderOf(ids, (id) => ({ id })),
    (id) => `cancellation ${id.toString('hex')}`,
    (some, locking) => ({
      sql: `SELECT job_id AS id FROM ${tables.cancellation} ${byPrimaryKey}
            WHERE job_id IN (${placeholders(some)}) ${locking}`,
      parameters: some,
    }),
  );
  return rows.map(({ id }) => id);
}

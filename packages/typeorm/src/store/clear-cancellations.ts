import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, select } from '../engine/operation.js';
import { cancelWaiting } from './cancel-jobs.js';
import { inKeyOrder } from './fence.js';
import { MOST_IDS } from './in-parts.js';

/** What came of requests to cancel whose jobs do not run, or no longer. */
export interface ClearedCancellations {
  /** How many jobs were cancelled. */
  readonly cancelled: number;
  /** Whether there may be more. */
  readonly more: boolean;
}

/**
 * Carries out requests to cancel jobs that were handed back or are to be tried again, and forgets those of jobs that
 * have ended. A job that runs keeps its request.
 *
 * Part of a transaction. Index: the primary keys, from the requests to their jobs. A job that is claimed between the
 * look and the lock keeps its request too: only what was cancelled, or is gone for good, is deleted.
 */
export function* clearCancellations(dialect: Dialect): Operation<ClearedCancellations> {
  const { tables } = dialect;
  const found = yield* select<{ id: Buffer; state: string | null }>(
    `SELECT request.job_id AS id, job.state
     FROM ${tables.cancellation} request LEFT JOIN ${tables.job} job ON job.id = request.job_id
     WHERE job.id IS NULL OR job.state <> 'running'
     ORDER BY request.job_id LIMIT ${MOST_IDS}`,
  );
  const ended = found.filter(({ state }) => state === null).map(({ id }) => id);
  const waiting = inKeyOrder(found.filter(({ state }) => state !== null)).map(({ id }) => id);
  // A transaction of the application's that has cancelled or replaced one of them is left alone.
  const cancelled = yield* cancelWaiting(dialect, waiting, dialect.forUpdateSkipLocked);
  const done = [...ended, ...cancelled.map(({ id }) => id)];
  if (done.length > 0) {
    yield* change(dialect.deleteEach(tables.cancellation, 'job_id', done.length), done);
  }
  return { cancelled: cancelled.length, more: done.length === MOST_IDS };
}

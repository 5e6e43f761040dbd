import type { Dialect } from '../../../engine/dialect.js';
import type { Operation } from '../../../engine/operation.js';
import { deleteById } from '../delete-by-id.js';
import { type EndedQueuedJob, endQueued } from './end-queued.js';

/**
 * waiting, scheduled or ready → expired, for jobs that have not started before their expiry time. Part of a
 * transaction: of the claimer that has found them, the reaper, or an enqueue that needs the unique key of one.
 *
 * A claim locks the same rows and compares the same time, so each job either starts or expires. Rows that are locked
 * are skipped, as are jobs whose unique key is locked: the next claim or the reaper finds them again.
 *
 * Index: the primary keys. Locks: as a cancellation, and the jobs' rows of `tq_expiry` last. If the process dies before
 * the commit, nothing has happened. A second run changes nothing and returns no jobs: then the reaper continues with
 * the jobs that depend on them.
 *
 * @param ids in key order, at most `MOST_IDS`.
 * @returns the jobs that have expired now.
 */
export function* expireJobs(dialect: Dialect, ids: readonly Buffer[]): Operation<readonly EndedQueuedJob[]> {
  const ended = yield* endQueued(dialect, ids, 'expired', true);
  yield* deleteById(
    dialect,
    'expiry',
    ended.map(({ id }) => id),
  );
  return ended;
}

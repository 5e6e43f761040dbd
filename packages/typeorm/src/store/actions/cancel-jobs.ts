import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type EndedQueuedJob, endQueued } from '../base/jobs/end-queued.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { type EndedJob, withDependents } from '../base/jobs/ended-job.js';
import { IS_LIVE } from '../base/order/lane.js';
import { inKeyOrder } from '../base/locks/fence.js';

/** The result of cancelling. */
export interface Cancelled {
  /** Jobs that did not run. */
  readonly cancelled: readonly Buffer[];
  /** Running jobs; their workers were asked to cancel them. */
  readonly requested: readonly Buffer[];
  /** The cancelled jobs on which others may depend. The caller passes them to `EndedJobs` after the commit. */
  readonly ended: readonly EndedJob[];
}

/**
 * Cancels waiting, scheduled and ready jobs, and requests the cancellation of running ones. Runs in the caller's
 * transaction or in one of its own.
 *
 * A worker reads requests with its next poll. The row of a running job is not locked: a long transaction of the caller
 * would prevent the worker from storing the outcome. A waiting job whose unique key another transaction has locked is
 * treated like a running one: see `unique-keys.ts`.
 *
 * Index: the primary key, also if the jobs were searched by key: at REPEATABLE READ a locking read along a key would
 * lock its gaps, and with them enqueues. A locking read of a missing row locks a gap too, so only rows that a plain
 * read has found are locked. In a long transaction at REPEATABLE READ that read may be outdated. Until its end, a job
 * that has finished since stays locked then, and one that was deleted costs a gap.
 *
 * A second run changes nothing. The reaper deletes requests for jobs that have finished, and cancels jobs with a
 * request that are waiting to be retried.
 *
 * @param name cancels only jobs with this name; null cancels all.
 * @param whenLocked what to do with jobs that another transaction has locked: wait for them, request their cancellation
 *   as if they were running, or skip them.
 * @param state cancels only jobs in this state; null cancels all.
 */
export function* cancelJobs(
  dialect: Dialect,
  ids: readonly Buffer[],
  name: string | null,
  whenLocked: 'wait' | 'request' | 'skip' = 'wait',
  state: string | null = null,
): Operation<Cancelled> {
  const cancelled: EndedQueuedJob[] = [];
  const requested: Buffer[] = [];
  for (const chunk of chunksOf(ids, MOST_IDS)) {
    const found = yield* findLive(dialect, chunk, name, state);
    const waiting = found.filter(({ state }) => state !== 'running').map(({ id }) => id);
    const ended = yield* endQueued(dialect, waiting, 'cancelled', whenLocked !== 'wait');
    const gone = new Set(ended.map(({ id }) => id.toString('hex')));
    const others = found
      .filter(({ id, state }) => !gone.has(id.toString('hex')) && (state === 'running' || whenLocked !== 'skip'))
      .map(({ id }) => id);
    yield* requestCancellation(dialect, others);
    cancelled.push(...ended);
    requested.push(...others);
  }
  return { cancelled: cancelled.map(({ id }) => id), requested, ended: withDependents(cancelled) };
}

/** Returns the live jobs among some, in the order of their ids. */
function* findLive(
  { tables, byPrimaryKey }: Dialect,
  ids: readonly Buffer[],
  name: string | null,
  state: string | null,
): Operation<{ id: Buffer; state: string }[]> {
  const isWanted = state === null ? IS_LIVE : sql`${IS_LIVE} AND state = ${state}`;
  const isNamed = name === null ? sql.empty : sql`AND name = ${name}`;
  const found = yield* select<{ id: Buffer; state: string }>(
    sql`SELECT id, state FROM ${tables.job} ${byPrimaryKey} WHERE id IN (${sql.list(ids)}) AND ${isWanted} ${isNamed}`,
  );
  return inKeyOrder(found);
}

function* requestCancellation({ tables, insertIgnore, now }: Dialect, ids: readonly Buffer[]): Operation<void> {
  if (ids.length > 0) {
    const rows = ids.map((id) => sql`(${id}, ${now})`);
    yield* change(sql`${insertIgnore} ${tables.cancellation} (job_id, requested_at) VALUES ${sql.join(rows)}`);
  }
}

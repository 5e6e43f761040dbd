import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../engine/operation.js';
import { forgetFailures } from './delete-finished-jobs.js';
import { deleteById } from './delete-by-id.js';
import { forgetCancellations } from './forget-cancellations.js';
import { readyPosition } from './place.js';

/** A job that was put back to ready. */
export interface RetriedJob {
  readonly id: Buffer;
  readonly queue: string;
  readonly priority: number;
}

/** A job to put back. */
export interface RetryRequest {
  readonly id: Buffer;
  /** Only if it ended at this time, in ms: what was asked of it holds for that end. Undefined: whenever it did. */
  readonly finishedAt?: number;
}

interface FinishedRow {
  readonly id: Buffer;
  readonly queue: string;
  readonly priority: number | string;
  readonly state: string;
  readonly finished_at: number | string;
}

/**
 * failed or cancelled → ready: out of the history and into the live table, under the same id, behind the jobs that are
 * ready already. Part of a transaction: before its commit the job is in the history, from then on in the live table.
 *
 * The attempt goes on being counted, so whatever an earlier worker still sends is fenced off; the failures and the
 * crashes begin anew. The key and the errors are kept. A unique key is not taken again: another job may have it by now.
 * What is noted of the failure is forgotten, and so is a request to cancel the job that came too late for its last run: it
 * would end the next one.
 *
 * Index: the primary keys. Locks: the history's rows, in the order of their ids. A row that is gone is not looked up
 * with a lock, which would lock the gap at REPEATABLE READ. Does nothing the second time.
 *
 * @param requests in key order.
 * @param skipsLocked passes over jobs that somebody else puts back, or deletes, just now; otherwise waits for them.
 */
export function* retryFinishedJobs(
  dialect: Dialect,
  requests: readonly RetryRequest[],
  skipsLocked: boolean,
): Operation<RetriedJob[]> {
  const locked = yield* lockEnded(dialect, requests, skipsLocked);
  if (locked.length === 0) {
    return [];
  }
  const { tables, byPrimaryKey, now } = dialect;
  const ids = locked.map(({ id }) => id);
  const among = `WHERE id IN (${placeholders(ids)})`;
  yield* change(
    `INSERT INTO ${tables.job}
       (id, queue, state, position, name, job_key, unique_key, payload, priority, attempt, failures, crashes, last_error,
        progress, created_at, run_at, claimed_at)
     SELECT id, queue, 'ready', ${readyPosition('priority', now)}, name, job_key, NULL, payload, priority, attempt, 0, 0,
        error, progress, created_at, ${now}, claimed_at
     FROM ${tables.history} ${byPrimaryKey} ${among}`,
    ids,
  );
  yield* forgetFailures(dialect, locked);
  yield* forgetCancellations(dialect, ids);
  yield* deleteById(dialect, 'history', ids);
  return locked.map(({ id, queue, priority }) => ({ id, queue, priority: Number(priority) }));
}

function* lockEnded(
  { tables, byPrimaryKey, forUpdate, forUpdateSkipLocked }: Dialect,
  requests: readonly RetryRequest[],
  skipsLocked: boolean,
): Operation<FinishedRow[]> {
  const ended = (ids: readonly Buffer[]) => `FROM ${tables.history} ${byPrimaryKey}
     WHERE id IN (${placeholders(ids)}) AND state <> 'succeeded'`;
  const asked = requests.map(({ id }) => id);
  const found = asked.length === 0 ? [] : yield* select<{ id: Buffer }>(`SELECT id ${ended(asked)}`, asked);
  if (found.length === 0) {
    return [];
  }
  const ids = found.map(({ id }) => id);
  const rows = yield* select<FinishedRow>(
    `SELECT id, queue, priority, state, finished_at ${ended(ids)} ${skipsLocked ? forUpdateSkipLocked : forUpdate}`,
    ids,
  );
  const times = new Map(requests.map(({ id, finishedAt }) => [id.toString('hex'), finishedAt]));
  return rows.filter(({ id, finished_at: finishedAt }) => {
    const time = times.get(id.toString('hex'));
    return time === undefined || time === Number(finishedAt);
  });
}

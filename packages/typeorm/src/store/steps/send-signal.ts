import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { LiveState } from '../../tables/job.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import type { QueuedJob } from '../base/jobs/queued-job.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { IS_LIVE } from '../base/order/lane.js';
import { type WaitingRow, wakeWaiting } from './wake-waiting.js';

/** A signal to a job. */
export interface NewSignal {
  readonly id: Buffer;
  readonly jobId: Buffer;
  readonly name: string;
  /** JSON text; null for none. */
  readonly data: string | null;
  readonly once: string | null;
}

interface JobRow extends WaitingRow {
  readonly state: LiveState;
}

/** The result of sending a signal. */
export interface SentSignals {
  /** The live jobs. */
  readonly live: readonly Buffer[];
  /** The jobs to which it was sent. The others had one with the same `once`. */
  readonly sent: readonly Buffer[];
  /** The jobs that are ready now. */
  readonly ready: readonly QueuedJob[];
}

/**
 * Sends a signal to jobs, and wakes up those that wait for it. In the caller's transaction, or in one of its own.
 *
 * Index: the primary keys. Locks: the new rows, and jobs that wait for them. The row of a running job is never locked:
 * its worker could not store the outcome until a long transaction ends. If the job starts to wait at the same time,
 * neither sees the other: so the caller offers the signals once more after the commit, see `offer-signals.ts`. If the
 * process dies before that, the reaper does it.
 *
 * @param signals one for each job, in the order of their ids.
 * @param isRetry whether an earlier try may have stored them.
 */
export function* sendSignals(
  dialect: Dialect,
  signals: readonly NewSignal[],
  isRetry: boolean,
): Operation<SentSignals> {
  const live: Buffer[] = [];
  const sent: Buffer[] = [];
  const ready: QueuedJob[] = [];
  for (const chunk of chunksOf(signals, MOST_IDS)) {
    const jobs = yield* select<JobRow>(
      sql`SELECT id, queue, priority, tenant, state, attempt FROM ${dialect.tables.job}
          WHERE id IN (${sql.list(chunk.map(({ jobId }) => jobId))}) AND ${IS_LIVE}`,
    );
    const ofLive = chunk.filter(({ jobId }) => jobs.some(({ id }) => id.equals(jobId)));
    const stored: NewSignal[] = [];
    for (const signal of ofLive) {
      if (yield* insertSignal(dialect, signal, isRetry)) {
        stored.push(signal);
      }
    }
    const parked = jobs.filter(({ state }) => state === 'scheduled' || state === 'waiting');
    ready.push(...(yield* wakeWaiting(dialect, inKeyOrder(parked), stored)));
    live.push(...ofLive.map(({ jobId }) => jobId));
    sent.push(...stored.map(({ jobId }) => jobId));
  }
  return { live, sent, ready };
}

/**
 * Stores a signal. With `once` it waits for another transaction that stores the same signal.
 *
 * @returns whether it was stored; false if a signal with the same `once` is there.
 */
function* insertSignal(dialect: Dialect, signal: NewSignal, isRetry: boolean): Operation<boolean> {
  const { tables, now } = dialect;
  const { id, jobId, name, data, once } = signal;
  const ofJob = sql`job_id = ${jobId} AND name = ${name}`;
  if (isRetry && (yield* select(sql`SELECT 1 FROM ${tables.signal} WHERE ${ofJob} AND id = ${id}`)).length > 0) {
    return true;
  }
  const insert = sql`INSERT INTO ${tables.signal} (job_id, name, sent_at, id, data, once)
                     VALUES (${jobId}, ${name}, ${now}, ${id}, ${data}, ${once})`;
  if (once === null) {
    yield* change(insert);
    return true;
  }
  const known = sql`SELECT id FROM ${tables.signal} WHERE ${ofJob} AND once = ${once}`;
  // An INSERT would lock the row of the other signal, and its job could not take it until this transaction ends.
  if ((yield* select(known)).length > 0) {
    return false;
  }
  yield* change(sql`${insert} ${dialect.onConflictLock(sql`stage`)}`);
  // At REPEATABLE READ the signal of another transaction may be invisible; this one never is.
  const rows = yield* select<{ id: Buffer }>(known);
  return rows.some((row) => row.id.equals(id));
}

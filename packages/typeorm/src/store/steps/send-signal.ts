import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { uuidFromBytes } from '../../definition/job-id.js';
import type { LiveState } from '../../tables/job.js';
import { SIGNAL_STAGE } from '../../tables/signal.js';
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
  /** The job gets one signal of this name with this text. Null: it gets this one too. See `onceOfCall`. */
  readonly once: string | null;
}

/**
 * The `once` of a call without one, outside a caller's transaction: its id. Such a call is tried again when the answer
 * to its COMMIT is lost. A wait keeps the row of a signal with `once`, so the second try finds it even if the job has
 * taken the signal meanwhile.
 */
export function onceOfCall(id: Buffer): string {
  return uuidFromBytes(id);
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
 * Stores a signal. With `once` it waits for another transaction that stores the same signal, such as the COMMIT of an
 * earlier try that the server still runs.
 *
 * @returns whether it was stored, by this try or an earlier one; false if another signal with the same `once` is there.
 */
function* insertSignal(dialect: Dialect, signal: NewSignal, isRetry: boolean): Operation<boolean> {
  const { tables, now } = dialect;
  const { id, jobId, name, data, once } = signal;
  const isOfCall = once === onceOfCall(id);
  const insert = sql`INSERT INTO ${tables.signal} (job_id, name, sent_at, id, data, once)
                     VALUES (${jobId}, ${name}, ${now}, ${id}, ${data}, ${once})`;
  if (once === null || (isOfCall && !isRetry)) {
    yield* change(insert);
    return true;
  }
  const known = sql`SELECT id, stage FROM ${tables.signal}
                    WHERE job_id = ${jobId} AND name = ${name} AND once = ${once}`;
  const [earlier] = yield* select<KnownSignal>(known);
  if (isRetry && earlier?.id.equals(id)) {
    return true;
  }
  // An INSERT would lock the row of the other signal, and its job could not take it until this transaction ends. A new
  // signal may not be committed, if the caller's transaction is at READ UNCOMMITTED: there the INSERT decides.
  if (earlier && Number(earlier.stage) > SIGNAL_STAGE.new) {
    return false;
  }
  yield* change(sql`${insert} ${dialect.onConflictLock(sql`stage`)}`);
  // At REPEATABLE READ the signal of another transaction may be invisible; this one never is.
  const rows = isOfCall ? [signal] : yield* select<KnownSignal>(known);
  return rows.some((row) => row.id.equals(id));
}

interface KnownSignal {
  readonly id: Buffer;
  /** Above `new` it was committed: only later transactions change the stage. */
  readonly stage: number | string;
}

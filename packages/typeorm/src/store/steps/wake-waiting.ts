import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../base/jobs/queued-job.js';
import { intoReadyLaneNow } from '../base/order/lane.js';
import { countSignals } from '../base/steps/signal-keys.js';

interface Wait {
  readonly job_id: Buffer;
  /** The attempt that waits. */
  readonly attempt: number | string;
  readonly awaits: string;
  readonly needs: number | string;
}

/** The columns of a job that may wait. */
export interface WaitingRow extends QueuedRow {
  readonly attempt: number | string;
}

/** The name of a signal, and its job. */
export interface SignalOfJob {
  readonly jobId: Buffer;
  readonly name: string;
}

/**
 * scheduled or waiting → ready, for jobs that wait for one of the signals, if the wait needs no further ones. A job whose
 * last attempt has failed waits for its backoff, not for what an earlier attempt has waited for. Part of a transaction.
 *
 * Index: the primary keys. Locks: the jobs that become ready. One that another transaction has made ready meanwhile
 * stays as it is. One that was retried and waits for its place in an order stays too: at REPEATABLE READ the plain
 * reads may show it as it was before. A wake-up too many does no harm: the job finds its wait open and goes on waiting.
 *
 * @param parked up to `MOST_IDS`, in the order of their ids.
 * @returns the jobs that are ready now.
 */
export function* wakeWaiting(
  dialect: Dialect,
  parked: readonly WaitingRow[],
  signals: readonly SignalOfJob[],
): Operation<QueuedJob[]> {
  if (parked.length === 0 || signals.length === 0) {
    return [];
  }
  const { tables, byPrimaryKey } = dialect;
  const waits = yield* select<Wait>(
    sql`SELECT job_id, attempt, awaits, needs FROM ${tables.step}
        WHERE job_id IN (${sql.list(parked.map(({ id }) => id))}) AND state = 'open' AND awaits IS NOT NULL`,
  );
  const sent = waits.filter(
    (wait) =>
      signals.some(({ jobId, name }) => wait.job_id.equals(jobId) && wait.awaits === name) &&
      parked.some(({ id, attempt }) => id.equals(wait.job_id) && Number(attempt) === Number(wait.attempt)),
  );
  const over = yield* withAllSignals(dialect, sent);
  const waiting = parked.filter(({ id }) => over.some(({ job_id: jobId }) => jobId.equals(id)));
  if (waiting.length > 0) {
    yield* change(
      sql`UPDATE ${tables.job} ${byPrimaryKey}
          SET ${intoReadyLaneNow(dialect)}
          WHERE id IN (${sql.list(waiting.map(({ id }) => id))}) AND state IN ('scheduled', 'waiting')
            AND (order_head IS NULL OR order_head = 1)`,
    );
  }
  return waiting.map(toQueuedJob);
}

/** The waits whose signals are all there. Index: the primary key. Locks nothing. */
function* withAllSignals(dialect: Dialect, waits: readonly Wait[]): Operation<readonly Wait[]> {
  const ofSeveral = waits.filter(({ needs }) => Number(needs) > 1);
  if (ofSeveral.length === 0) {
    return waits;
  }
  const counts = yield* countSignals(
    dialect,
    ofSeveral.map(({ job_id: id }) => id),
  );
  const isThere = (wait: Wait) =>
    counts.some(
      ({ job_id: id, name, signals }) =>
        id.equals(wait.job_id) && name === wait.awaits && Number(signals) >= Number(wait.needs),
    );
  return waits.filter((wait) => Number(wait.needs) === 1 || isThere(wait));
}

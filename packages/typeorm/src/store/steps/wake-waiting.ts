import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../base/jobs/queued-job.js';
import { intoReadyLaneNow } from '../base/order/lane.js';

/** The name of a signal, and its job. */
export interface SignalOfJob {
  readonly jobId: Buffer;
  readonly name: string;
}

/**
 * scheduled or waiting → ready, for jobs with an open wait for one of the signals. Part of a transaction.
 *
 * Index: the primary keys. Locks: the jobs that become ready. One that another transaction has made ready meanwhile
 * stays as it is. A wake-up too many does no harm: the job finds its wait open and goes on waiting.
 *
 * @param parked up to `MOST_IDS`, in the order of their ids.
 * @returns the jobs that are ready now.
 */
export function* wakeWaiting(
  dialect: Dialect,
  parked: readonly QueuedRow[],
  signals: readonly SignalOfJob[],
): Operation<QueuedJob[]> {
  if (parked.length === 0 || signals.length === 0) {
    return [];
  }
  const { tables, byPrimaryKey } = dialect;
  const waits = yield* select<{ job_id: Buffer; awaits: string }>(
    sql`SELECT job_id, awaits FROM ${tables.step}
        WHERE job_id IN (${sql.list(parked.map(({ id }) => id))}) AND state = 'open' AND awaits IS NOT NULL`,
  );
  const isAwaited = ({ jobId, name }: SignalOfJob) =>
    waits.some(({ job_id: id, awaits }) => id.equals(jobId) && awaits === name);
  const awaited = signals.filter(isAwaited);
  const waiting = parked.filter(({ id }) => awaited.some(({ jobId }) => jobId.equals(id)));
  if (waiting.length > 0) {
    yield* change(
      sql`UPDATE ${tables.job} ${byPrimaryKey}
          SET ${intoReadyLaneNow(dialect)}
          WHERE id IN (${sql.list(waiting.map(({ id }) => id))}) AND state IN ('scheduled', 'waiting')`,
    );
  }
  return waiting.map(toQueuedJob);
}

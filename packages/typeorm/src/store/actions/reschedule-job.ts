import type { DueTime } from '../../definition/due-time.js';
import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { JobGroupError, JobOrderError, JobStepsError } from '../../errors/index.js';
import { insertExpiries } from '../base/jobs/insert-expiries.js';
import type { QueuedJob } from '../base/jobs/queued-job.js';
import { intoReadyLaneNow } from '../base/order/lane.js';
import { readClock } from '../base/read-clock.js';
import { lockJob } from './lock-job.js';

/** A job with its new time. */
export interface RescheduledJob extends QueuedJob {
  /** How long until it is due, in ms: 0 or less if it is ready. */
  readonly dueIn: number;
}

/**
 * scheduled or ready → scheduled at another time; ready if that has passed. Part of a transaction.
 *
 * Either a claim has the row or this. A job that has not started yet keeps the time that it has from its due time to
 * its expiry. Index: the primary keys. Locks: the job's row, then its row of `tq_expiry`, as an enqueue does. A second
 * run with a time does the same; with a delay it counts from then.
 *
 * @throws JobOrderError, JobGroupError, JobStepsError for a job whose time something else decides.
 * @throws the errors of `lockJob`.
 */
export function* rescheduleJob(dialect: Dialect, id: Buffer, due: DueTime): Operation<RescheduledJob> {
  const { tables, byPrimaryKey } = dialect;
  const job = yield* lockJob(dialect, id, ['scheduled', 'ready', 'waiting'], 'is scheduled or ready');
  yield* refuseParked(dialect, id);
  if (job.state === 'waiting') {
    throw job.isBehind && job.orderKey !== null
      ? new JobOrderError(uuidFromBytes(id), job.orderKey)
      : new JobGroupError(uuidFromBytes(id), 'callback');
  }
  const now = yield* readClock(dialect);
  const at = 'at' in due ? due.at : now + due.delay;
  // First: MySQL assigns from left to right.
  const shift = sql`expires_at = expires_at - run_at + ${Math.max(at, now)}`;
  const place =
    at > now ? sql`state = 'scheduled', lane = 0, position = ${at}, run_at = ${at}` : intoReadyLaneNow(dialect);
  yield* change(sql`UPDATE ${tables.job} ${byPrimaryKey} SET ${shift}, ${place} WHERE id = ${id}`);
  if (job.canExpire) {
    yield* insertExpiries(dialect, [id]);
  }
  return { ...job, dueIn: at - now };
}

/** An open step without a time has only stored its cursor. */
function* refuseParked({ tables }: Dialect, id: Buffer): Operation<void> {
  const waits = yield* select(
    sql`SELECT name FROM ${tables.step}
        WHERE job_id = ${id} AND state = 'open' AND (due_at IS NOT NULL OR awaits IS NOT NULL) LIMIT 1`,
  );
  if (waits.length > 0) {
    throw new JobStepsError(uuidFromBytes(id), 'time');
  }
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { lockWaiting } from '../base/locks/lock-waiting.js';
import type { QueuedJob } from '../base/jobs/queued-job.js';
import { makeStepsDue } from './make-steps-due.js';
import { intoReadyLaneNow } from '../base/order/lane.js';

/**
 * scheduled → ready, before the job's time: it is due now. Part of a transaction.
 *
 * A promotion, a cancellation or a replacement may lock the row first; the second transaction finds the job in another
 * state. Index: the primary key. Locks: see `lockWaiting`. A second run changes nothing: the job is no longer
 * scheduled, or it has run and is scheduled for a retry.
 *
 * @param ids up to `MOST_IDS`.
 */
export function* runJobsNow(dialect: Dialect, ids: readonly Buffer[]): Operation<QueuedJob[]> {
  const { tables, byPrimaryKey } = dialect;
  const isScheduled = sql`state = 'scheduled'`;
  const locked = yield* lockWaiting(dialect, ids, isScheduled);
  if (locked.length > 0) {
    yield* change(
      sql`UPDATE ${tables.job} ${byPrimaryKey}
          SET ${intoReadyLaneNow(dialect)}
          WHERE id IN (${sql.list(locked.map(({ id }) => id))}) AND ${isScheduled}`,
    );
    yield* makeStepsDue(
      dialect,
      locked.map(({ id }) => id),
    );
  }
  return locked;
}

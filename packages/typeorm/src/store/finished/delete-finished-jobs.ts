import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { Outcome } from '../../tables/job.js';
import { deleteById } from '../base/delete-by-id.js';
import { type AttemptState, mayHaveErrors } from '../base/jobs/attempt-errors.js';
import { deleteLogs } from '../base/jobs/job-log.js';
import { deleteKeys } from '../base/keys/delete-keys.js';
import { deleteStepsAndSignals } from '../base/steps/delete-steps.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';

interface FinishedRow extends AttemptState {
  readonly id: Buffer;
  readonly job_key: string | null;
}

/**
 * Deletes finished jobs with their keys, errors, steps and logs. Part of a transaction.
 *
 * Index: the primary keys. Locks: the jobs' rows, skipping those that another transaction is retrying. Whether a job
 * finished before the time is checked again under the lock, because it may have been retried and have finished again.
 * So a live job never loses its key. A second run changes nothing.
 *
 * @param ids in key order, at most `MOST_IDS`.
 * @param until only jobs that were finished at this time or before, in ms.
 * @returns how many were deleted.
 */
export function* deleteFinishedJobs(
  dialect: Dialect,
  state: Outcome,
  ids: readonly Buffer[],
  until: number,
): Operation<number> {
  const { tables, byPrimaryKey } = dialect;
  const isOld = sql`state = ${state} AND finished_at <= ${until}`;
  const rows = yield* lockSkippingLocked<Buffer, FinishedRow>(
    dialect,
    ids,
    (id) => id.toString('hex'),
    (some, locking) =>
      sql`SELECT id, job_key, state, attempt FROM ${tables.job} ${byPrimaryKey}
          WHERE id IN (${sql.list(some)}) AND ${isOld} ${locking}`,
  );
  if (rows.length === 0) {
    return 0;
  }
  yield* deleteKeys(
    dialect,
    rows.map(({ id, job_key: key }) => ({ id, key })),
  );
  yield* deleteById(
    dialect,
    'error',
    rows.filter(mayHaveErrors).map(({ id }) => id),
  );
  yield* deleteStepsAndSignals(
    dialect,
    rows.map(({ id }) => id),
  );
  yield* deleteLogs(
    dialect,
    rows.map(({ id }) => id),
  );
  const locked = sql.list(rows.map(({ id }) => id));
  return yield* change(sql`${dialect.deleteFrom(tables.job)} WHERE id IN (${locked}) AND ${isOld}`);
}

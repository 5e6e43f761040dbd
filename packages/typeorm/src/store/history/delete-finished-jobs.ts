import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type AttemptState, mayHaveErrors } from '../base/jobs/attempt-errors.js';
import { deleteById } from '../base/delete-by-id.js';
import { deleteKeys } from '../base/keys/delete-keys.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';

interface FinishedRow extends AttemptState {
  readonly id: Buffer;
  readonly job_key: string | null;
}

/**
 * Deletes jobs from the history, with their keys, errors and failures. Part of a transaction.
 *
 * Index: the primary keys. Locks: the history's rows, skipping those that another transaction is retrying. The
 * condition is checked again under the lock, because a job may have been retried and have finished again. So a live job
 * never loses its key. A second run changes nothing.
 *
 * @param ids in key order.
 * @returns how many were deleted.
 */
export function* deleteFinishedJobs(dialect: Dialect, ids: readonly Buffer[], condition: Fragment): Operation<number> {
  const { tables, byPrimaryKey } = dialect;
  const rows = yield* lockSkippingLocked<Buffer, FinishedRow>(
    dialect,
    ids,
    (id) => id.toString('hex'),
    (some, locking) =>
      sql`SELECT id, job_key, state, attempt FROM ${tables.history} ${byPrimaryKey}
          WHERE id IN (${sql.list(some)}) AND (${condition}) ${locking}`,
  );
  yield* deleteKeys(
    dialect,
    'history',
    rows.map(({ id, job_key: key }) => ({ id, key })),
  );
  yield* deleteById(
    dialect,
    'error',
    rows.filter(mayHaveErrors).map(({ id }) => id),
  );
  yield* deleteFailures(dialect, rows);
  yield* deleteById(
    dialect,
    'history',
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** Deletes the failures of the failed jobs among rows of the history that are locked and about to be deleted. */
export function* deleteFailures(
  dialect: Dialect,
  rows: readonly { readonly id: Buffer; readonly state: string }[],
): Operation<void> {
  const failed = rows.filter(({ state }) => state === 'failed').map(({ id }) => id);
  yield* deleteById(dialect, 'failure', failed);
}

import type { Dialect, HistoryKey } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type AttemptState, mayHaveErrors } from '../base/jobs/attempt-errors.js';
import { deleteById } from '../base/delete-by-id.js';
import { deleteKeysOfFinished } from '../base/keys/delete-keys.js';
import { type HistoryKeyRow, historyKeyOf } from '../base/order/history-key.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';

interface FinishedRow extends AttemptState, HistoryKeyRow {
  readonly job_key: string | null;
}

/**
 * Deletes jobs from the history, with their keys, errors and failures. Part of a transaction.
 *
 * Index: the primary keys. Locks: the history's rows, skipping those that another transaction is retrying. The
 * condition is checked again under the lock, because a job may have been retried and have finished again. So a live job
 * never loses its key. A second run changes nothing.
 *
 * @param keys in key order.
 * @returns how many were deleted.
 */
export function* deleteFinishedJobs(
  dialect: Dialect,
  keys: readonly HistoryKey[],
  condition: Fragment,
): Operation<number> {
  const rows = yield* lockSkippingLocked<HistoryKey, FinishedRow>(
    dialect,
    keys,
    ({ id }) => id.toString('hex'),
    (some, locking) =>
      sql`SELECT id, finished_at, job_key, state, attempt FROM ${dialect.tables.history} ${dialect.byPrimaryKey}
          WHERE (${dialect.isHistoryRow(some)}) AND (${condition}) ${locking}`,
  );
  yield* deleteKeysOfFinished(dialect, rows);
  yield* deleteById(
    dialect,
    'error',
    rows.filter(mayHaveErrors).map(({ id }) => id),
  );
  yield* deleteFailures(dialect, rows);
  if (rows.length > 0) {
    yield* change(dialect.deleteHistoryRows(rows.map(historyKeyOf)));
  }
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

import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, change } from '../../engine/operation.js';
import { type AttemptState, mayHaveErrors } from '../base/attempt-errors.js';
import { deleteById } from '../base/delete-by-id.js';
import { deleteKeysOfFinished } from '../base/delete-keys.js';
import { type HistoryCursor, type HistoryKeyRow, historyCursorOf, cursorValues } from '../base/history-cursor.js';
import { lockSkippingLocked } from '../base/lock-skipping-locked.js';

interface FinishedRow extends AttemptState, HistoryKeyRow {
  readonly job_key: string | null;
}

/**
 * Deletes jobs from the history for good, with their keys, their errors and what is noted of failures. Part of a
 * transaction.
 *
 * Index: the primary keys. Locks: the history's rows, passing over those that somebody puts back to ready just now; the
 * condition is asked again under the lock, for jobs that were put back and have ended again since they were found. So
 * a key is never taken from a job that lives. Does nothing the second time.
 *
 * @param places in key order.
 * @returns how many were deleted.
 */
export function* deleteFinishedJobs(
  dialect: Dialect,
  places: readonly HistoryCursor[],
  condition: Fragment,
): Operation<number> {
  const { tables, byPrimaryKey, atPlaces, deletePlaces } = dialect;
  const rows = yield* lockSkippingLocked<HistoryCursor, FinishedRow>(
    dialect,
    places,
    ({ id }) => id.toString('hex'),
    (some, locking) => ({
      sql: `SELECT id, finished_at, job_key, state, attempt FROM ${tables.history} ${byPrimaryKey}
            WHERE (${atPlaces(some.length)}) AND (${condition.sql}) ${locking}`,
      parameters: [...cursorValues(some), ...condition.parameters],
    }),
  );
  yield* deleteKeysOfFinished(dialect, rows);
  yield* deleteById(
    dialect,
    'error',
    rows.filter(mayHaveErrors).map(({ id }) => id),
  );
  yield* deleteFailures(dialect, rows);
  if (rows.length > 0) {
    yield* change(deletePlaces(rows.length), cursorValues(rows.map(historyCursorOf)));
  }
  return rows.length;
}

/** Forgets what is noted of the failed ones among rows of the history that are locked and about to be deleted. */
export function* deleteFailures(
  dialect: Dialect,
  rows: readonly { readonly id: Buffer; readonly state: string }[],
): Operation<void> {
  const failed = rows.filter(({ state }) => state === 'failed').map(({ id }) => id);
  yield* deleteById(dialect, 'failure', failed);
}

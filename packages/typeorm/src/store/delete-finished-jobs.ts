import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, select } from '../engine/operation.js';
import { type AttemptState, forgetErrors, mayHaveErrors } from './attempt-errors.js';
import { deleteKeysOfFinished } from './delete-keys.js';
import type { Condition } from './fence.js';
import { type HistoryPlace, type PlacedRow, placeOf, valuesOf } from './history-place.js';

interface FinishedRow extends AttemptState, PlacedRow {
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
  places: readonly HistoryPlace[],
  condition: Condition,
): Operation<number> {
  const { tables, byPrimaryKey, atPlaces, deletePlaces, forUpdateSkipLocked } = dialect;
  const rows = yield* select<FinishedRow>(
    `SELECT id, finished_at, job_key, state, attempt FROM ${tables.history} ${byPrimaryKey}
     WHERE (${atPlaces(places.length)}) AND (${condition.sql}) ${forUpdateSkipLocked}`,
    [...valuesOf(places), ...condition.parameters],
  );
  yield* deleteKeysOfFinished(dialect, rows);
  yield* forgetErrors(
    dialect,
    rows.filter(mayHaveErrors).map(({ id }) => id),
  );
  yield* forgetFailures(dialect, rows);
  if (rows.length > 0) {
    yield* change(deletePlaces(rows.length), valuesOf(rows.map(placeOf)));
  }
  return rows.length;
}

/** Forgets what is noted of the failed ones among rows of the history that are locked and about to be deleted. */
export function* forgetFailures(
  { tables, deleteEach }: Dialect,
  rows: readonly { readonly id: Buffer; readonly state: string }[],
): Operation<void> {
  const failed = rows.filter(({ state }) => state === 'failed');
  if (failed.length > 0) {
    yield* change(
      deleteEach(tables.failure, 'job_id', failed.length),
      failed.map(({ id }) => id),
    );
  }
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { type HistoryKeyRow, historyCursorOf, cursorValues } from './history-cursor.js';

/*
 * Index: from each job's row to the one row of its key, by both columns of the primary key. Locks: those rows and
 * nothing beside them, though many jobs have the same key: with the keys as values, `(job_key = ? AND job_id = ?) OR …`,
 * both servers come to read along the key where they are all the same, and wait for whoever enqueues under it just now.
 */

/**
 * Deletes the keys of live jobs. Only inside the transaction that deletes the jobs themselves afterwards, whose rows are
 * locked.
 */
export function* deleteKeys(
  dialect: Dialect,
  jobs: readonly { readonly id: Buffer; readonly key: string | null }[],
): Operation<void> {
  const ids = jobs.filter(({ key }) => key !== null).map(({ id }) => id);
  if (ids.length > 0) {
    yield* change(dialect.deleteKeysOfJobs(ids.length), ids);
  }
}

/** The same for finished jobs. */
export function* deleteKeysOfFinished(
  dialect: Dialect,
  rows: readonly (HistoryKeyRow & { readonly job_key: string | null })[],
): Operation<void> {
  const places = rows.filter(({ job_key: key }) => key !== null).map(historyCursorOf);
  if (places.length > 0) {
    yield* change(dialect.deleteKeysOfPlaces(places.length), cursorValues(places));
  }
}

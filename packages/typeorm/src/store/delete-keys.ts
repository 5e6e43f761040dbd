import type { Dialect } from '../engine/dialect.js';
import { type Operation, change } from '../engine/operation.js';

/** A job's key, or that it has none. */
export interface KeyOfJob {
  readonly id: Buffer;
  readonly key: string | null;
}

/**
 * Deletes the keys of jobs. Only inside the transaction that deletes the jobs themselves afterwards, whose rows are
 * locked.
 *
 * Index: from each job's row to the one row of its key, by both columns of the primary key. Locks: those rows and
 * nothing beside them, though many jobs have the same key: with the keys as values, `(job_key = ? AND job_id = ?) OR …`,
 * both servers come to read along the key where they are all the same, and wait for whoever enqueues under it just now.
 *
 * @param table where the jobs are.
 */
export function* deleteKeys(dialect: Dialect, table: 'job' | 'history', jobs: readonly KeyOfJob[]): Operation<void> {
  const ids = jobs.filter(({ key }) => key !== null).map(({ id }) => id);
  if (ids.length > 0) {
    yield* change(dialect.deleteKeysOfJobs(dialect.tables[table], ids.length), ids);
  }
}

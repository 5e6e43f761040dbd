import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';

/*
 * Index: from each job's row to the one row of its key, by both columns of the primary key. Locks: those rows only.
 * With the keys as values, `(job_key = ? AND job_id = ?) OR …`, both servers would read all rows of a key that many
 * jobs have, and wait for transactions that enqueue jobs with it.
 */

/** Deletes the keys of jobs. Only inside the transaction that has locked the jobs and deletes them afterwards. */
export function* deleteKeys(
  dialect: Dialect,
  jobs: readonly { readonly id: Buffer; readonly key: string | null }[],
): Operation<void> {
  const ids = jobs.filter(({ key }) => key !== null).map(({ id }) => id);
  if (ids.length > 0) {
    yield* change(dialect.deleteKeysOfJobs(ids));
  }
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type JobSnapshot, findJobs } from './find-jobs.js';

/**
 * Finds the jobs of a definition, or all of them, live and finished, oldest first. Reads both tables whole: for tests.
 * Locks nothing.
 *
 * @param name null for all.
 */
export function* findJobsByName(dialect: Dialect, name: string | null): Operation<JobSnapshot[]> {
  const { job, history } = dialect.tables;
  const rows = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${job} WHERE ? IS NULL OR name = ? UNION ALL SELECT id FROM ${history} WHERE ? IS NULL OR name = ?`,
    [name, name, name, name],
  );
  return yield* findJobs(
    dialect,
    rows.map(({ id }) => id),
  );
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type JobSnapshot, findJobs } from './find-jobs.js';

/**
 * Finds the jobs of a definition, or all jobs, live and finished, oldest first. Reads the whole table: for tests. Locks
 * nothing.
 *
 * @param name null for all.
 */
export function* findJobsByName(dialect: Dialect, name: string | null): Operation<JobSnapshot[]> {
  const where = name === null ? sql.empty : sql`WHERE name = ${name}`;
  const rows = yield* select<{ id: Buffer }>(sql`SELECT id FROM ${dialect.tables.job} ${where}`);
  return yield* findJobs(
    dialect,
    rows.map(({ id }) => id),
  );
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { type JobSummary, SUMMARY_COLUMNS, toSummary } from './find-jobs.js';

/** The length of an error in lists, in characters. */
const ERROR_LENGTH = 1_000;

/**
 * Finds the summaries of jobs, by the text of their ids. Index: the primary key. Locks nothing.
 *
 * @param live whether the jobs are in the live table.
 */
export function* findSummaries(
  { tables, byPrimaryKey }: Dialect,
  ids: readonly Buffer[],
  live: boolean,
): Operation<Map<string, JobSummary>> {
  const found = new Map<string, JobSummary>();
  const [table, error, finishedAt] = live
    ? [tables.job, sql`last_error`, sql`NULL`]
    : [tables.history, sql`error`, sql`finished_at`];
  for (const chunk of chunksOf(ids, MOST_IDS)) {
    const rows = yield* select(
      sql`SELECT ${SUMMARY_COLUMNS}, SUBSTR(${error}, 1, ${sql.integer(ERROR_LENGTH)}) AS error, ${finishedAt} AS finished_at
          FROM ${table} ${byPrimaryKey} WHERE id IN (${sql.list(chunk)})`,
    );
    rows.map(toSummary).forEach((job) => found.set(job.id, job));
  }
  return found;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { type JobSummary, SUMMARY_COLUMNS, toSummary } from './find-jobs.js';

/** An encoded error is read as a whole: no codec decodes a part. */
const ERROR_BEGINNING = sql`CASE WHEN last_error LIKE 'codec:%' THEN last_error ELSE SUBSTR(last_error, 1, 1000) END`;

/** Finds the summaries of jobs, by the text of their ids. Index: the primary key. Locks nothing. */
export function* findSummaries(
  { tables, byPrimaryKey }: Dialect,
  ids: readonly Buffer[],
): Operation<Map<string, JobSummary>> {
  const found = new Map<string, JobSummary>();
  for (const chunk of chunksOf(ids, MOST_IDS)) {
    const rows = yield* select(
      sql`SELECT ${SUMMARY_COLUMNS}, ${ERROR_BEGINNING} AS error
          FROM ${tables.job} ${byPrimaryKey} WHERE id IN (${sql.list(chunk)})`,
    );
    rows.map(toSummary).forEach((job) => found.set(job.id, job));
  }
  return found;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { deleteById } from '../base/delete-by-id.js';

/**
 * Deletes the logs of jobs that do not exist any more: other SQL has deleted them, or a late line was stored in the
 * moment of the deletion. One page of jobs. Part of a transaction.
 *
 * Index: jumps from job to job along the primary key, and the primary key of the jobs. Locks: the deleted lines. A
 * second run changes nothing.
 *
 * @param after the job that the page before has ended with.
 * @returns the last job of the page; undefined on the last page.
 */
export function* deleteLogsWithoutJob(dialect: Dialect, after: Buffer): Operation<Buffer | undefined> {
  const { tables, byPrimaryKey } = dialect;
  const rows = yield* select<{ job_id: Buffer; job: Buffer | null }>(
    sql`SELECT page.job_id, job.id AS job
        FROM (SELECT DISTINCT job_id FROM ${tables.log} ${byPrimaryKey} WHERE job_id > ${after}
              ORDER BY job_id LIMIT ${sql.integer(MOST_IDS)}) page
        LEFT JOIN ${tables.job} job ON job.id = page.job_id`,
  );
  yield* deleteById(
    dialect,
    'log',
    rows.filter(({ job }) => job === null).map(({ job_id: id }) => id),
  );
  const ids = rows.map(({ job_id: id }) => id).sort((a, b) => a.compare(b));
  return ids.length < MOST_IDS ? undefined : ids.at(-1);
}

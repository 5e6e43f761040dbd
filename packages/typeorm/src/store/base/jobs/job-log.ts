import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import type { LOG_LEVELS } from '../../../tables/log.js';
import { deleteById } from '../delete-by-id.js';
import type { ClaimedJob } from './claimed-job.js';

/** The level of a line. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The jobs that have logged in this attempt. A set, so that other jobs do not pay for it. */
const withLog = new WeakSet<ClaimedJob>();

/** A job logs its first line. */
export function markLogged(job: ClaimedJob): void {
  withLog.add(job);
}

/** Whether a job can have lines: of this attempt, or of an earlier one. */
export function mayHaveLog(job: ClaimedJob): boolean {
  return job.attempt > 1 || withLog.has(job);
}

/**
 * Deletes the logs of jobs, up to `MOST_IDS`. Part of the transaction that deletes the jobs. Jobs without a log cost one
 * read. Index: a range of the primary key for each job.
 */
export function* deleteLogs(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  if (ids.length === 0) {
    return;
  }
  const rows = yield* select<{ job_id: Buffer }>(
    sql`SELECT DISTINCT job_id FROM ${dialect.tables.log} WHERE job_id IN (${sql.list(ids)})`,
  );
  yield* deleteById(
    dialect,
    'log',
    rows.map(({ job_id: id }) => id),
  );
}

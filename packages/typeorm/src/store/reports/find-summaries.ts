import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Row, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { type JobSnapshot, claimTimeOf, parsed, timeOf } from './find-jobs.js';

/** The length of an error in lists, in characters. */
const ERROR_LENGTH = 1_000;

/**
 * A job in a list: without payload, result and the errors of its attempts, which `find` reads. `error` has the first
 * 1,000 characters of the last error.
 */
export type JobSummary = Omit<JobSnapshot, 'payload' | 'payloadVersion' | 'crashes' | 'errors' | 'result'>;

const COLUMNS = sql`id, name, queue, job_key, tenant, state, priority, attempt, failures, progress, created_at, run_at,
  claimed_at`;

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
      sql`SELECT ${COLUMNS}, SUBSTR(${error}, 1, ${sql.integer(ERROR_LENGTH)}) AS error, ${finishedAt} AS finished_at
          FROM ${table} ${byPrimaryKey} WHERE id IN (${sql.list(chunk)})`,
    );
    rows.map(toSummary).forEach((job) => found.set(job.id, job));
  }
  return found;
}

function toSummary(row: Row): JobSummary {
  return {
    id: uuidFromBytes(row.id as Buffer),
    name: row.name as string,
    queue: row.queue as string,
    key: (row.job_key as string | null) ?? undefined,
    tenant: (row.tenant as string | null) ?? undefined,
    state: row.state as JobSummary['state'],
    priority: Number(row.priority),
    attempt: Number(row.attempt),
    failures: Number(row.failures),
    error: (row.error as string | null) ?? undefined,
    progress: parsed(row.progress),
    createdAt: timeOf(row.created_at) as Date,
    runAt: timeOf(row.run_at) as Date,
    claimedAt: claimTimeOf(row.claimed_at),
    finishedAt: timeOf(row.finished_at),
  };
}

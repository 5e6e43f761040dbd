import type { Dialect } from '../../../engine/dialect.js';
import { uuidFromBytes } from '../../../definition/job-id.js';
import { type Operation, type Row, change, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { groupBy } from '../../../group-by.js';
import type { LiveState, Outcome } from '../../../tables/job.js';
import type { Fence } from './claimed-job.js';
import { keyOf } from '../locks/fence.js';
import { MOST_IDS, chunksBySize } from '../chunks.js';

/** How many errors of a job are kept: the last ones. */
const MOST_ERRORS = 20;

/** The rest of a row. */
const ROW_BYTES = 200;

/** A failed attempt. */
export interface FailedAttempt {
  readonly attempt: number;
  /** When it began. */
  readonly claimedAt: Date;
  readonly failedAt: Date;
  /** The error's stack and its causes, as text. */
  readonly error: string;
}

export interface AttemptError {
  readonly job: Fence;
  readonly error: string;
}

/**
 * Stores the errors of failed attempts, and deletes the oldest ones beyond the limit. Only inside the transaction that
 * records the failures, which holds the jobs' rows: an attempt has an error exactly if it counts as a failure.
 *
 * Index: inserts by primary key; then a range of it, only for jobs that were claimed more often than the limit.
 *
 * @param rows the jobs' locked rows with their `claimed_at`, by `keyOf`.
 */
export function* storeErrors(
  dialect: Dialect,
  errors: readonly AttemptError[],
  rows: ReadonlyMap<string, Row>,
): Operation<void> {
  for (const chunk of chunksBySize(dialect, errors, MOST_IDS, ({ error }, measure) => ROW_BYTES + measure(error))) {
    const values = chunk.map(({ job, error }) => {
      const claimedAt = Number((rows.get(keyOf(job)) as Row).claimed_at);
      return sql`(${job.id}, ${job.attempt}, ${claimedAt}, ${dialect.now}, ${error})`;
    });
    yield* change(
      sql`INSERT INTO ${dialect.tables.error} (job_id, attempt, claimed_at, failed_at, error)
          VALUES ${sql.join(values)}`,
    );
  }
  for (const { job } of errors) {
    if (job.attempt > MOST_ERRORS) {
      yield* deleteOldest(dialect, job);
    }
  }
}

function* deleteOldest({ tables, deleteFrom }: Dialect, { id }: Fence): Operation<void> {
  const [oldest] = yield* select<{ attempt: number }>(
    sql`SELECT attempt FROM ${tables.error} WHERE job_id = ${id}
        ORDER BY attempt DESC LIMIT 1 OFFSET ${sql.integer(MOST_ERRORS)}`,
  );
  if (oldest) {
    yield* change(
      sql`${deleteFrom(tables.error)}
          WHERE job_id = ${id} AND attempt <= ${oldest.attempt} AND failed_at IS NOT NULL`,
    );
  }
}

/** The attempts of a job, live or finished, as its row has them. */
export interface AttemptState {
  readonly attempt: number | string;
  readonly state: LiveState | Outcome;
}

/**
 * Whether a job can have errors: most jobs succeed at their first attempt. The count of failures does not show it: it
 * is reset when a job is replaced or retried after its end, and the errors are kept.
 */
export function mayHaveErrors({ attempt, state }: AttemptState): boolean {
  const attempts = Number(attempt);
  return attempts > 1 || (attempts === 1 && state !== 'running' && state !== 'succeeded');
}

/**
 * The errors of jobs by the text of their id, oldest first. Index: the primary key. Reads only, and only if there are
 * jobs.
 */
export function* findErrors({ tables }: Dialect, ids: readonly Buffer[]): Operation<Map<string, FailedAttempt[]>> {
  const rows =
    ids.length === 0
      ? []
      : yield* select(
          sql`SELECT job_id, attempt, claimed_at, failed_at, error FROM ${tables.error}
              WHERE job_id IN (${sql.list(ids)}) ORDER BY job_id, attempt`,
        );
  const byJob = groupBy(rows, (row) => uuidFromBytes(row.job_id as Buffer));
  return new Map([...byJob].map(([id, own]) => [id, own.map(toFailedAttempt)]));
}

function toFailedAttempt(row: Row): FailedAttempt {
  return {
    attempt: Number(row.attempt),
    claimedAt: new Date(Number(row.claimed_at)),
    failedAt: new Date(Number(row.failed_at)),
    error: row.error as string,
  };
}

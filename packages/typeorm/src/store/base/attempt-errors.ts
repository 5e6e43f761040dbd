import type { Dialect } from '../../engine/dialect.js';
import { uuidFromBytes } from '../../definition/job-id.js';
import { type Operation, type Row, change, placeholders, select } from '../../engine/operation.js';
import { groupBy } from '../../group-by.js';
import type { Outcome } from '../../tables/history.js';
import type { LiveState } from '../../tables/job.js';
import type { Fence } from './claimed-job.js';
import { keyOf } from './fence.js';
import { MOST_IDS, chunksOf } from './chunks.js';

/** How many errors of a job are kept: the last ones. */
const MOST_ERRORS = 20;

/** An attempt that has failed. */
export interface FailedAttempt {
  readonly attempt: number;
  /** When it began. */
  readonly claimedAt: Date;
  readonly failedAt: Date;
  /** The error's stack and its causes, as text. */
  readonly error: string;
}

/** Why an attempt has failed, to be kept. */
export interface AttemptError {
  readonly job: Fence;
  readonly error: string;
}

/**
 * Keeps the errors of failed attempts. Only inside the transaction that writes the failures down, which holds the
 * jobs' rows: so nobody else writes errors of these jobs, and an attempt has its error if and only if it was charged.
 *
 * Index: inserts by primary key. Only a job that was claimed more often than errors are kept can have too many, and is
 * asked for it: a range of the primary key.
 *
 * @param rows the jobs' locked rows with their `claimed_at`, by `keyOf`.
 */
export function* keepErrors(
  dialect: Dialect,
  errors: readonly AttemptError[],
  rows: ReadonlyMap<string, Row>,
): Operation<void> {
  for (const part of chunksOf(errors, MOST_IDS, ({ error }) => error.length)) {
    yield* change(
      `INSERT INTO ${dialect.tables.error} (job_id, attempt, claimed_at, failed_at, error)
       VALUES ${part.map(() => `(?, ?, ?, ${dialect.now}, ?)`).join(', ')}`,
      part.flatMap(({ job, error }) => [job.id, job.attempt, Number((rows.get(keyOf(job)) as Row).claimed_at), error]),
    );
  }
  for (const { job } of errors) {
    if (job.attempt > MOST_ERRORS) {
      yield* forgetOldest(dialect, job);
    }
  }
}

function* forgetOldest({ tables, deleteFrom }: Dialect, { id }: Fence): Operation<void> {
  const [oldest] = yield* select<{ attempt: number }>(
    `SELECT attempt FROM ${tables.error} WHERE job_id = ? ORDER BY attempt DESC LIMIT 1 OFFSET ${MOST_ERRORS}`,
    [id],
  );
  if (oldest) {
    yield* change(`${deleteFrom(tables.error)} WHERE job_id = ? AND attempt <= ? AND failed_at IS NOT NULL`, [
      id,
      oldest.attempt,
    ]);
  }
}

/** What a row of a job, live or finished, tells about its attempts. */
export interface AttemptState {
  readonly attempt: number | string;
  readonly state: LiveState | Outcome;
}

/**
 * Whether it is worth while to look for errors: most jobs succeed at their first attempt. The failures do not tell: they
 * begin anew where a job is replaced, or put back after its end, and its errors are kept.
 */
export function mayHaveErrors({ attempt, state }: AttemptState): boolean {
  const attempts = Number(attempt);
  return attempts > 1 || (attempts === 1 && state !== 'running' && state !== 'succeeded');
}

/** The errors of jobs by the text of their id, oldest first. Index: the primary key. Reads only, and only if there are jobs. */
export function* findErrors({ tables }: Dialect, ids: readonly Buffer[]): Operation<Map<string, FailedAttempt[]>> {
  const rows =
    ids.length === 0
      ? []
      : yield* select(
          `SELECT job_id, attempt, claimed_at, failed_at, error FROM ${tables.error}
           WHERE job_id IN (${placeholders(ids)}) ORDER BY job_id, attempt`,
          ids,
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

import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Row, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type LiveState, type Outcome, isLive } from '../../tables/job.js';
import { type AttemptState, type FailedAttempt, findErrors, mayHaveErrors } from '../base/jobs/attempt-errors.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { storedValue } from '../base/jobs/stored-value.js';

/** A job at the time of the read. */
export interface JobSnapshot {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  /** The tenant (customer) it belongs to. */
  readonly tenant: string | undefined;
  readonly state: LiveState | Outcome;
  /** The payload as stored, in the version `payloadVersion`. */
  readonly payload: unknown;
  /** The version of the definition that enqueued it. */
  readonly payloadVersion: number;
  readonly priority: number;
  /** The number of its last attempt; 0 before the first. */
  readonly attempt: number;
  /** How many attempts failed. */
  readonly failures: number;
  /**
   * How often in a row its worker died, or lost its lease, during an attempt; 0 again after a completed attempt.
   * Undefined for a finished job.
   */
  readonly crashes: number | undefined;
  /** The error of the last failed attempt; undefined if none has failed. */
  readonly error: string | undefined;
  /** The failed attempts, oldest first: at most the last 20. */
  readonly errors: readonly FailedAttempt[];
  /** The return value of the handler. */
  readonly result: unknown;
  /** The last progress that the handler reported; see `JobContext.progress`. */
  readonly progress: unknown;
  readonly createdAt: Date;
  /** When it was, or will be, due. */
  readonly runAt: Date;
  /**
   * When it expires if it has not started, or has expired. Undefined for a job without `expiresIn`, and for one that
   * has started.
   */
  readonly expiresAt: Date | undefined;
  readonly claimedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

/**
 * A job in a list: without payload, result and the errors of its attempts, which `find` reads. `error` has the first
 * 1,000 characters of the last error.
 */
export type JobSummary = Omit<JobSnapshot, 'payload' | 'payloadVersion' | 'crashes' | 'errors' | 'result'>;

/** The columns that `toSummary` reads beside the `error`. */
export const SUMMARY_COLUMNS = sql`id, name, queue, job_key, tenant, state, priority, attempt, failures, progress,
  created_at, run_at, expires_at, claimed_at, finished_at`;
const COLUMNS = sql`${SUMMARY_COLUMNS}, last_error AS error, crashes, payload, payload_version, result`;

/**
 * Finds jobs by id, live or finished, in the order of their ids, with their errors. Index: the primary keys. Locks
 * nothing.
 */
export function* findJobs(dialect: Dialect, ids: readonly Buffer[]): Operation<JobSnapshot[]> {
  const { tables } = dialect;
  const found: JobSnapshot[] = [];
  for (const chunk of chunksOf(ids, MOST_IDS)) {
    const rows = yield* select(sql`SELECT ${COLUMNS} FROM ${tables.job} WHERE id IN (${sql.list(chunk)})`);
    const failed = rows.filter((row) => mayHaveErrors(row as unknown as AttemptState)).map(({ id }) => id as Buffer);
    const errors = yield* findErrors(dialect, failed);
    found.push(...rows.map((row) => toSnapshot(row, errors)));
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Finds the ids of the jobs with a key, live or finished. Index: the primary key of the keys. Locks nothing. */
export function* jobIdsOfKey({ tables }: Dialect, key: string): Operation<Buffer[]> {
  const rows = yield* select<{ job_id: Buffer }>(sql`SELECT job_id FROM ${tables.key} WHERE job_key = ${key}`);
  return rows.map(({ job_id: id }) => id);
}

function toSnapshot(row: Row, errors: ReadonlyMap<string, readonly FailedAttempt[]>): JobSnapshot {
  const summary = toSummary(row);
  return {
    ...summary,
    payload: storedValue(row.payload),
    payloadVersion: Number(row.payload_version),
    crashes: isLive(summary.state) ? Number(row.crashes) : undefined,
    errors: errors.get(summary.id) ?? [],
    result: storedValue(row.result),
  };
}

/** Converts a row with `SUMMARY_COLUMNS` and `error`. */
export function toSummary(row: Row): JobSummary {
  const state = row.state as LiveState | Outcome;
  const hasStarted = state === 'running' || !(isLive(state) || state === 'expired');
  return {
    id: uuidFromBytes(row.id as Buffer),
    name: row.name as string,
    queue: row.queue as string,
    key: (row.job_key as string | null) ?? undefined,
    tenant: (row.tenant as string | null) ?? undefined,
    state,
    priority: Number(row.priority),
    attempt: Number(row.attempt),
    failures: Number(row.failures),
    error: (row.error as string | null) ?? undefined,
    progress: storedValue(row.progress),
    createdAt: dateOf(row.created_at),
    runAt: dateOf(row.run_at),
    expiresAt: hasStarted ? undefined : timeOf(row.expires_at),
    // Both are 0 before.
    claimedAt: timeOf(Number(row.claimed_at) || undefined),
    finishedAt: timeOf(Number(row.finished_at) || undefined),
  };
}

function dateOf(milliseconds: unknown): Date {
  return new Date(Number(milliseconds));
}

/** A time in a row. */
export function timeOf(milliseconds: unknown): Date | undefined {
  return milliseconds === null || milliseconds === undefined ? undefined : dateOf(milliseconds);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Row, placeholders, select } from '../../engine/operation.js';
import type { Outcome } from '../../tables/history.js';
import type { LiveState } from '../../tables/job.js';
import { type AttemptState, type FailedAttempt, findErrors, mayHaveErrors } from '../base/attempt-errors.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { uuidFromBytes } from '../../definition/job-id.js';

/** A job as it was when it was looked at. */
export interface JobSnapshot {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  /** Who it is for. */
  readonly tenant: string | undefined;
  readonly state: LiveState | Outcome;
  /** As it was stored, whatever the version of the definition is now. */
  readonly payload: unknown;
  /** The version of the definition it was enqueued with. */
  readonly payloadVersion: number;
  readonly priority: number;
  /** How often it was claimed. */
  readonly attempt: number;
  /** How many attempts ended in an error that was charged. */
  readonly failures: number;
  /**
   * How often in a row its process has died, or lost its lease, while it ran; 0 again when an attempt comes to its end.
   * Undefined for a finished job.
   */
  readonly crashes: number | undefined;
  /** The last error, if there was one. */
  readonly error: string | undefined;
  /** The attempts that have failed, oldest first: at most the last 20. */
  readonly errors: readonly FailedAttempt[];
  /** What the handler returned. */
  readonly result: unknown;
  /** What the handler has told last; see `JobContext.progress`. */
  readonly progress: unknown;
  readonly createdAt: Date;
  /** When it was, or will be, due. */
  readonly runAt: Date;
  readonly claimedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

const COLUMNS =
  'id, name, queue, job_key, tenant, state, payload, payload_version, priority, attempt, failures, progress, created_at, ' +
  'run_at, claimed_at';

/**
 * Finds jobs by id, live or finished, in the order of their ids, with their errors where they may have some. Index: the
 * primary keys. Reads only.
 */
export function* findJobs(dialect: Dialect, ids: readonly Buffer[]): Operation<JobSnapshot[]> {
  const { tables } = dialect;
  const found: JobSnapshot[] = [];
  for (const part of chunksOf(ids, MOST_IDS)) {
    const where = `WHERE id IN (${placeholders(part)})`;
    // One statement, so one view of both tables: a job that moves from one to the other meanwhile is in one of them.
    const rows = yield* select(
      `SELECT ${COLUMNS}, crashes, last_error AS error, NULL AS result, NULL AS finished_at FROM ${tables.job} ${where}
       UNION ALL
       SELECT ${COLUMNS}, NULL AS crashes, error, result, finished_at FROM ${tables.history} ${where}`,
      [...part, ...part],
    );
    const failed = rows.filter((row) => mayHaveErrors(row as unknown as AttemptState)).map(({ id }) => id as Buffer);
    const errors = yield* findErrors(dialect, failed);
    found.push(...rows.map((row) => toSnapshot(row, errors)));
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The ids of the jobs with a key, live or finished. Index: the primary key of the keys. Reads only, locks nothing. */
export function* jobIdsOfKey({ tables }: Dialect, key: string): Operation<Buffer[]> {
  const rows = yield* select<{ job_id: Buffer }>(`SELECT job_id FROM ${tables.key} WHERE job_key = ?`, [key]);
  return rows.map(({ job_id: id }) => id);
}

function toSnapshot(row: Row, errors: ReadonlyMap<string, readonly FailedAttempt[]>): JobSnapshot {
  const id = uuidFromBytes(row.id as Buffer);
  return {
    id,
    name: row.name as string,
    queue: row.queue as string,
    key: (row.job_key as string | null) ?? undefined,
    tenant: (row.tenant as string | null) ?? undefined,
    state: row.state as LiveState | Outcome,
    payload: parsed(row.payload),
    payloadVersion: Number(row.payload_version),
    priority: Number(row.priority),
    attempt: Number(row.attempt),
    failures: Number(row.failures),
    crashes: row.crashes === null ? undefined : Number(row.crashes),
    error: (row.error as string | null) ?? undefined,
    errors: errors.get(id) ?? [],
    result: parsed(row.result),
    progress: parsed(row.progress),
    createdAt: dateOf(row.created_at),
    runAt: dateOf(row.run_at),
    claimedAt: claimTimeOf(row.claimed_at),
    finishedAt: timeOf(row.finished_at),
  };
}

/** What JSON text of a row says. */
export function parsed(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : undefined;
}

function dateOf(milliseconds: unknown): Date {
  return new Date(Number(milliseconds));
}

/** When a job was claimed last. A live row has 0 where it never was. */
export function claimTimeOf(milliseconds: unknown): Date | undefined {
  return timeOf(Number(milliseconds) || undefined);
}

/** A time of a row. */
export function timeOf(milliseconds: unknown): Date | undefined {
  return milliseconds === null || milliseconds === undefined ? undefined : dateOf(milliseconds);
}

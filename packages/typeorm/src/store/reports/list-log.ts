import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { LogLevel } from '../base/jobs/job-log.js';
import { storedValue } from '../base/jobs/stored-value.js';

/** A line of a job's log, as `queue.jobs.logs` returns it. */
export interface JobLogLine {
  /** The attempt that has logged it. */
  readonly attempt: number;
  /** Its number within the attempt, from 1. */
  readonly seq: number;
  /** When it was logged, by the database's clock. */
  readonly loggedAt: Date;
  /** How important it is. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** The text. */
  readonly message: string;
  /** The fields, as JSON stores them; undefined for none. */
  readonly fields: unknown;
  /**
   * For the line about dropped lines: how many were dropped, because the attempt has logged too much. The number grows
   * while the attempt goes on. 0 for all others.
   */
  readonly dropped: number;
}

/**
 * Reads lines of a job after a position, in the order of the attempts and of their lines. Index: a range of the primary
 * key. Locks nothing.
 */
export function* listLog(
  { tables }: Dialect,
  jobId: Buffer,
  { attempt, seq }: Pick<JobLogLine, 'attempt' | 'seq'>,
  limit: number,
): Operation<JobLogLine[]> {
  const rows = yield* select(
    sql`SELECT attempt, seq, logged_at, level, message, fields, dropped FROM ${tables.log}
        WHERE job_id = ${jobId} AND (attempt > ${attempt} OR (attempt = ${attempt} AND seq > ${seq}))
        ORDER BY attempt, seq LIMIT ${sql.integer(limit)}`,
  );
  return rows.map((row) => ({
    attempt: Number(row.attempt),
    seq: Number(row.seq),
    loggedAt: new Date(Number(row.logged_at)),
    level: row.level as LogLevel,
    message: row.message as string,
    fields: storedValue(row.fields),
    dropped: Number(row.dropped),
  }));
}

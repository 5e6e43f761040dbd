import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { LogLevel } from '../../store/base/jobs/job-log.js';
import type { JobLog, LogFields } from '../handlers/job-log.js';

/** How many lines of one attempt are stored at most: the first ones. */
export const MOST_LINES = 1_000;
/** How many characters these lines and their fields have at most, together. */
export const MOST_CHARACTERS = 256 * 1_024;

/** What is needed of the job. Not its payload: lines can wait for long. */
export type LoggedJob = Pick<ClaimedJob, 'id' | 'attempt' | 'name'>;

/** A line that is not stored yet. */
export interface LogLine {
  readonly log: AttemptLog;
  readonly seq: number;
  /** By `performance.now()`. */
  readonly at: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: string | null;
}

/** The place of the lines of an attempt that were dropped. */
export interface DropMark {
  readonly log: AttemptLog;
  readonly seq: number;
  readonly at: number;
  /** How many were dropped up to now. */
  dropped: number;
}

/** Where the lines of all attempts wait to be stored. */
export interface LogBuffer {
  /** Whether a line must be dropped: lines are logged faster than they are stored, or the worker has stopped. */
  readonly isFull: boolean;
  /** Redacts and cuts a line. */
  lineOf(log: AttemptLog, seq: number, level: LogLevel, message: unknown, fields: unknown): LogLine;
  addLine(line: LogLine): void;
  addMark(mark: DropMark): void;
}

/** The log of one attempt, made at its first line. Its handler may add lines after its end. */
export class AttemptLog implements JobLog {
  private lines = 0;
  private characters = 0;
  private mark: DropMark | undefined;

  constructor(
    readonly job: LoggedJob,
    private readonly buffer: LogBuffer,
  ) {}

  // Fields, so that a handler may destructure its log.
  readonly debug = (message: string, fields?: LogFields): void => this.add('debug', message, fields);
  readonly info = (message: string, fields?: LogFields): void => this.add('info', message, fields);
  readonly warn = (message: string, fields?: LogFields): void => this.add('warn', message, fields);
  readonly error = (message: string, fields?: LogFields): void => this.add('error', message, fields);

  /** Lines were dropped here: one by `add`, or lines that could not be stored. */
  drop(lines: number): void {
    this.mark ??= { log: this, seq: ++this.lines, at: performance.now(), dropped: 0 };
    this.mark.dropped += lines;
    this.buffer.addMark(this.mark);
  }

  private add(level: LogLevel, message: unknown, fields: unknown): void {
    if (this.lines >= MOST_LINES || this.characters >= MOST_CHARACTERS || this.buffer.isFull) {
      this.drop(1);
      return;
    }
    const line = this.buffer.lineOf(this, ++this.lines, level, message, fields);
    this.characters += charactersOf(line);
    this.buffer.addLine(line);
  }
}

/** How much of a limit a line takes. */
export function charactersOf({ message, fields }: Pick<LogLine, 'message' | 'fields'>): number {
  return message.length + (fields?.length ?? 0);
}

import { AsyncResource } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';

import { mapConcurrently } from '../../async/map-concurrently.js';
import type { Codec } from '../../codec/codec.js';
import type { Engine } from '../../engine/engine.js';
import { isPermanentError } from '../../errors/is-permanent-error.js';
import { groupBy } from '../../group-by.js';
import { logError } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { type LogLevel, markLogged } from '../../store/base/jobs/job-log.js';
import { type StoredLine, writeLog } from '../../store/complete/write-log.js';
import type { OutcomeSettings } from '../completing/outcome-settings.js';
import type { JobLog } from '../handlers/job-log.js';
import {
  AttemptLog,
  type DropMark,
  type LogBuffer,
  type LogLine,
  type LoggedJob,
  MOST_CHARACTERS,
  MOST_LINES,
  charactersOf,
} from './attempt-log.js';
import { fieldsText, messageText } from './log-text.js';

/** How long lines wait for others, in ms. */
const INTERVAL = 1_000;
/** How many characters the lines of all jobs have that are not stored yet, at most. */
const MOST_BUFFERED = 4 * 1_024 * 1_024;
/** What a line takes beside its texts, counted as characters. */
const LINE_SIZE = 200;
/** How many attempts have a waiting line about dropped lines, at most: later ones drop theirs without it. */
const MOST_MARKS = 5_000;
/** How many lines are encoded at a time. */
const MOST_ENCODINGS = 16;

/**
 * Stores the logs of the jobs of a worker: the lines of all jobs together, about once a second and when an attempt
 * ends. A failure here never affects a job. See decision 0140.
 */
export class LogWriter implements LogBuffer {
  private lines: LogLine[] = [];
  private marks = new Set<DropMark>();
  private characters = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private isFailing = false;
  private isClosed = false;
  /** Not in the asynchronous context of the job that happens to log first. */
  private readonly neutral = new AsyncResource('TableQueueLogs');

  /**
   * @param isTimed whether lines are stored while their jobs run, and not only at the end.
   * @param encoderOf returns the codec that encodes for a job; undefined for none.
   */
  constructor(
    private readonly engine: Engine,
    private readonly settings: OutcomeSettings,
    private readonly isTimed: boolean,
    private readonly encoderOf: (job: LoggedJob) => Codec | undefined,
  ) {}

  /** Opens the log of an attempt. */
  open(job: ClaimedJob): JobLog {
    markLogged(job);
    const { id, attempt, name } = job;
    return new AttemptLog({ id, attempt, name }, this);
  }

  get isFull(): boolean {
    return this.characters >= MOST_BUFFERED || this.isClosed;
  }

  lineOf(log: AttemptLog, seq: number, level: LogLevel, message: unknown, fields: unknown): LogLine {
    const { redact } = this.settings;
    const [text, values] = [messageText(message, redact), fieldsText(fields, redact)];
    return { log, seq, at: performance.now(), level, message: text, fields: values };
  }

  addLine(line: LogLine): void {
    this.lines.push(line);
    this.characters += sizeOf(line);
    this.scheduleWrite();
  }

  addMark(mark: DropMark): void {
    if (this.marks.size < MOST_MARKS) {
      this.marks.add(mark);
      this.scheduleWrite();
    }
  }

  /** The job is deleted with its log: its lines need not be stored. */
  discard({ id }: ClaimedJob): void {
    const isOther = ({ log: { job } }: Pick<LogLine, 'log'>) => !job.id.equals(id);
    this.lines = this.lines.filter(isOther);
    this.marks = new Set([...this.marks].filter(isOther));
    this.characters = this.lines.reduce((sum, line) => sum + sizeOf(line), 0);
  }

  /** Stores all lines; attempts that end in the same tick share a statement. Never rejects. */
  flush(): Promise<void> {
    if (this.isClosed || (this.lines.length === 0 && this.marks.size === 0)) {
      return this.writing;
    }
    this.next ??= this.neutral.runInAsyncScope(() => this.writeNext(this.writing));
    return this.next;
  }

  /** Stores the remaining lines. Later lines are dropped. */
  async close(): Promise<void> {
    await this.flush();
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private scheduleWrite(): void {
    if (this.isTimed && this.timer === undefined && !this.isClosed) {
      this.timer = this.neutral.runInAsyncScope(() => setTimeout(() => void this.flush(), INTERVAL).unref());
    }
  }

  private async writeNext(previous: Promise<void>): Promise<void> {
    await previous;
    await setImmediate();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.next as Promise<void>;
    this.next = undefined;
    const [lines, marks] = [this.lines, [...this.marks]];
    this.lines = [];
    this.marks.clear();
    this.characters = 0;
    try {
      await this.write(lines, marks);
      this.isFailing = false;
    } catch (error) {
      this.onFailed(lines, marks, error);
    }
  }

  private async write(lines: readonly LogLine[], marks: readonly DropMark[]): Promise<void> {
    const encoded = await mapConcurrently(lines, MOST_ENCODINGS, (line) => this.encode(line));
    const now = performance.now();
    const stored = encoded.map(({ log: { job }, seq, at, level, message, fields }): StoredLine => {
      return { job, seq, age: Math.round(now - at), level, message, fields, dropped: 0 };
    });
    const dropped = marks.map(({ log: { job }, seq, at, dropped: count }): StoredLine => {
      const age = Math.round(now - at);
      return { job, seq, age, level: 'warn', message: textOfDropped(count), fields: null, dropped: count };
    });
    const options = { purpose: 'store log lines' };
    await this.engine.execute((dialect) => writeLog(dialect, [...stored, ...dropped]), options);
  }

  private async encode(line: LogLine): Promise<LogLine> {
    const { job } = line.log;
    const encoder = this.encoderOf(job);
    if (encoder === undefined) {
      return line;
    }
    const { codecs, logger } = this.settings;
    try {
      const text = JSON.stringify({ message: line.message, fields: line.fields });
      return { ...line, message: await codecs.encode(encoder, text, 'log', `log of job "${job.name}"`), fields: null };
    } catch (error) {
      logError(logger, `A line in the log of job "${job.name}" is left out`, error);
      const message = `The line was left out, because the codec "${encoder.id}" could not encode it.`;
      return { ...line, message, fields: null };
    }
  }

  /** Lines wait for the next write, unless the database refuses them. */
  private onFailed(lines: readonly LogLine[], marks: readonly DropMark[], error: unknown): void {
    if (!this.isFailing) {
      logError(this.settings.logger, 'The logs of jobs could not be stored', error);
    }
    this.isFailing = true;
    if (isPermanentError(error)) {
      groupBy(lines, ({ log }) => log).forEach((own, log) => log.drop(own.length));
    } else {
      this.lines = [...lines, ...this.lines];
      marks.forEach((mark) => this.marks.add(mark));
      this.characters = this.lines.reduce((sum, line) => sum + sizeOf(line), 0);
      this.scheduleWrite();
    }
  }
}

function sizeOf(line: LogLine): number {
  return LINE_SIZE + charactersOf(line);
}

function textOfDropped(count: number): string {
  return (
    `${count} more ${count === 1 ? 'line was' : 'lines were'} dropped: of an attempt up to ${MOST_LINES} lines and ` +
    `${MOST_CHARACTERS / 1_024} Ki characters are stored.`
  );
}

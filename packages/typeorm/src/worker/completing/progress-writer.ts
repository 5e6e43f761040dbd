import { mapConcurrently } from '../../async/map-concurrently.js';
import type { Codec } from '../../codec/codec.js';
import type { Engine } from '../../engine/engine.js';
import { logError } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { type ReportedProgress, writeProgress } from '../../store/complete/write-progress.js';
import { messageOf } from '../../errors/thrown.js';
import { encodeProgress } from './encode-outcome.js';
import type { OutcomeSettings } from './outcome-settings.js';

/** How many texts are encoded at a time. */
const MOST_ENCODINGS = 16;
/** The least time between two writes, in ms. */
const WRITE_INTERVAL = 500;

/**
 * Stores the progress that handlers report: the last value of each job, for all jobs together, at most twice a second.
 * A failure here never affects a job. See decision 0017.
 */
export class ProgressWriter {
  /** JSON texts that are not stored yet. */
  private readonly pending = new Map<ClaimedJob, string>();
  /** The texts that are being written, without those of jobs that have ended since. */
  private writing = new Map<ClaimedJob, string>();
  private timer: NodeJS.Timeout | undefined;
  private mayWriteAt = 0;

  /**
   * @param engine without one, progress is stored only with the outcome.
   * @param encoderOf returns the codec that encodes for a job; undefined for none.
   */
  constructor(
    private readonly engine: Engine | undefined,
    private readonly settings: Omit<OutcomeSettings, 'redact'>,
    private readonly encoderOf: (job: ClaimedJob) => Codec | undefined,
  ) {}

  /** A handler has reported progress. */
  addProgress(job: ClaimedJob, value: unknown): void {
    try {
      const text = JSON.stringify(value) ?? 'null';
      const { maxResultBytes } = this.settings;
      // Otherwise the encoded text is measured: see `encodeProgress`.
      if (Buffer.byteLength(text) > maxResultBytes && this.encoderOf(job) === undefined) {
        throw new RangeError(`it is ${Buffer.byteLength(text)} bytes of JSON, the limit is ${maxResultBytes}`);
      }
      this.pending.set(job, text);
      this.scheduleWrite();
    } catch (error) {
      this.warn(job, messageOf(error));
    }
  }

  /** The last progress of a job that may not be stored yet, as JSON text. */
  lastProgress(job: ClaimedJob): string | null {
    return this.pending.get(job) ?? this.writing.get(job) ?? null;
  }

  /** The same for a job that ends, whose progress is stored with its outcome. */
  takeProgress(job: ClaimedJob): string | null {
    if (this.pending.size === 0 && this.writing.size === 0) {
      return null;
    }
    const text = this.lastProgress(job);
    this.pending.delete(job);
    this.writing.delete(job);
    return text;
  }

  private async encodeAll(texts: readonly (readonly [ClaimedJob, string])[]) {
    const entries = await mapConcurrently(texts, MOST_ENCODINGS, async ([job, plain]) => {
      const encoder = this.encoderOf(job);
      return { job, text: encoder ? await encodeProgress(this.settings, encoder, job.name, plain) : plain };
    });
    return entries.filter((entry): entry is ReportedProgress => entry.text !== null);
  }

  private warn(job: ClaimedJob, reason: string): void {
    this.settings.logger.warn(`The progress of a job "${job.name}" was not stored: ${reason}`);
  }

  private scheduleWrite(): void {
    // Does not keep the process alive: the worker does.
    const { engine } = this;
    if (engine) {
      const wait = Math.max(0, this.mayWriteAt - performance.now());
      this.timer ??= setTimeout(() => void this.write(engine), wait).unref();
    }
  }

  private async write(engine: Engine): Promise<void> {
    this.writing = new Map([...this.pending].slice(0, MOST_IDS));
    this.writing.forEach((_text, job) => this.pending.delete(job));
    try {
      const entries = await this.encodeAll([...this.writing]);
      if (entries.length > 0) {
        const options = { purpose: 'store progress', atomic: true };
        const { busy, tooLarge } = await engine.execute((dialect) => writeProgress(dialect, entries), options);
        tooLarge.forEach(({ job, text }) => {
          this.warn(
            job,
            `it is ${Buffer.byteLength(text)} bytes of JSON, too many for max_allowed_packet of the server`,
          );
        });
        // Unless the handler has reported more meanwhile, or the job has ended.
        const isOpen = (job: ClaimedJob) => this.writing.has(job) && !this.pending.has(job);
        busy.filter(({ job }) => isOpen(job)).forEach(({ job }) => this.pending.set(job, this.writing.get(job)!));
      }
    } catch (error) {
      // Jobs that have ended took their progress with them. A worker that stops closes its connections then.
      if (this.writing.size > 0) {
        logError(this.settings.logger, 'The progress of jobs could not be stored', error);
      }
    }
    this.writing = new Map();
    this.mayWriteAt = performance.now() + WRITE_INTERVAL;
    this.timer = undefined;
    if (this.pending.size > 0) {
      this.scheduleWrite();
    }
  }
}

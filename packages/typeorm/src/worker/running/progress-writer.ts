import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { isolatesSnapshots } from '../../store/complete/isolates-snapshots.js';
import { writeProgress } from '../../store/complete/write-progress.js';
import { messageOf } from '../completing/error-text.js';

/** How often progress is written down at most, in ms. */
const BETWEEN_WRITES = 500;

/**
 * Writes down what handlers tell of their progress: the last of each job, those of all jobs together, twice a second at
 * most. Nothing that goes wrong here touches a job.
 */
export class ProgressWriter {
  /** JSON texts that are not written down yet. */
  private readonly told = new Map<ClaimedJob, string>();
  /** The same of jobs whose rows are left alone while they run. */
  private readonly keptBack = new Map<ClaimedJob, string | null>();
  /** Those that are being written just now. */
  private writing: ReadonlyMap<ClaimedJob, string> = new Map();
  private timer: NodeJS.Timeout | undefined;
  private mayWriteAt = 0;
  private isolatesSnapshots: boolean | undefined;

  /**
   * @param engine without one progress is written down with the outcome only.
   * @param largest the largest progress that is kept, in bytes of JSON.
   */
  constructor(
    private readonly engine: Engine | undefined,
    private readonly largest: number,
    private readonly logger: QueueLogger,
  ) {}

  /** A handler has told how far it is. */
  tell(job: ClaimedJob, value: unknown): void {
    try {
      const text = JSON.stringify(value) ?? 'null';
      if (Buffer.byteLength(text) > this.largest) {
        throw new RangeError(`it is ${Buffer.byteLength(text)} bytes of JSON, the limit is ${this.largest}`);
      }
      if (this.keptBack.has(job)) {
        this.keptBack.set(job, text);
      } else {
        this.told.set(job, text);
        this.plan();
      }
    } catch (error) {
      this.logger.warn(`The progress of a job "${job.name}" was not kept: ${messageOf(error)}`);
    }
  }

  /**
   * A job is about to be run in a transaction that also ends it. Its progress is written to its row on another connection:
   * where snapshots are isolated a transaction that has read anything before could not end it then. So there it is
   * written down when the job has ended for good, and not before.
   */
  async keepBackInTransaction(job: ClaimedJob): Promise<void> {
    if (this.engine) {
      const look = { purpose: 'look at the session', readOnly: true };
      this.isolatesSnapshots ??= await this.engine.execute(isolatesSnapshots, look);
      if (this.isolatesSnapshots) {
        this.keptBack.set(job, null);
      }
    }
  }

  /** What a job has told last, where it is not known to be written down. */
  last(job: ClaimedJob): string | null {
    return this.keptBack.get(job) ?? this.told.get(job) ?? this.writing.get(job) ?? null;
  }

  /** The same for a job that ends: it goes with its outcome. */
  take(job: ClaimedJob): string | null {
    if (this.told.size === 0 && this.writing.size === 0 && this.keptBack.size === 0) {
      return null;
    }
    const text = this.last(job);
    this.told.delete(job);
    this.keptBack.delete(job);
    return text;
  }

  private plan(): void {
    // It keeps no process alive: a job that runs has a worker that does.
    const { engine } = this;
    if (engine) {
      this.timer ??= setTimeout(() => void this.write(engine), this.mayWriteAt - performance.now()).unref();
    }
  }

  private async write(engine: Engine): Promise<void> {
    this.writing = new Map([...this.told].slice(0, MOST_IDS));
    const entries = [...this.writing].map(([job, text]) => ({ job, text }));
    entries.forEach(({ job }) => this.told.delete(job));
    try {
      if (entries.length > 0) {
        const options = { purpose: 'write down progress', atomic: true };
        const busy = await engine.execute((dialect) => writeProgress(dialect, entries), options);
        // Unless it has told more meanwhile. One of a job that has ended is refused by the fence, the next time.
        busy.filter(({ job }) => !this.told.has(job)).forEach(({ job, text }) => this.told.set(job, text));
      }
    } catch (error) {
      logError(this.logger, 'The progress of jobs could not be written down', error);
    }
    this.writing = new Map();
    this.mayWriteAt = performance.now() + BETWEEN_WRITES;
    this.timer = undefined;
    if (this.told.size > 0) {
      this.plan();
    }
  }
}

import type { Codecs } from '../../codec/codecs.js';
import { isEncoded } from '../../codec/encoded-text.js';
import { uuidToBytes } from '../../definition/job-id.js';
import { type Duration, LONGEST_TIMER, toMilliseconds } from '../../duration.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import {
  InvalidOptionError,
  JobCancelledError,
  JobExpiredError,
  JobFailedError,
  JobGoneError,
  WaitTimeoutError,
  isDatabaseUnavailable,
} from '../../errors/index.js';
import { assertKnownOptions } from '../../options.js';
import { storedValue } from '../../store/base/jobs/stored-value.js';
import { decodeError } from './decode-jobs.js';
import { type JobOutcome, type JobOutcomes, findOutcomes } from '../../store/reports/find-outcomes.js';

/** The first and the longest interval between two polls, in ms. Each is longer than the one before. */
const FIRST_INTERVAL = 20;
const LONGEST_INTERVAL = 250;
const GROWTH = 1.5;

/** Options of `waitFor`. */
export interface WaitOptions {
  /** How long to wait: 1 ms to 24 days. Default: 1 min. */
  readonly timeout?: Duration;
  /** Ends the wait when it is aborted. */
  readonly signal?: AbortSignal;
}

interface Wait {
  readonly resolve: (outcome: JobOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** A job that one or more callers wait for. */
interface AwaitedJob {
  readonly waits: Set<Wait>;
  /** Whether a poll has found it. If a later poll does not, it has finished and has no row any more. */
  wasSeen: boolean;
}

/**
 * The jobs that callers in this process wait for. One statement polls for all of them. A timer runs between two polls,
 * and one for each wait; they keep the process alive until the last wait has ended.
 */
export class JobWaits {
  private readonly jobs = new Map<string, AwaitedJob>();
  private timer: NodeJS.Timeout | undefined;
  private interval = FIRST_INTERVAL;
  private isPolling = false;
  private pollAgain = false;
  private failure: unknown;

  constructor(
    private readonly engine: Engine,
    private readonly codecs: Codecs,
  ) {}

  /** The number of jobs that callers wait for. */
  get size(): number {
    return this.jobs.size;
  }

  /** @throws the errors of `TableQueue.waitFor`. */
  async wait(id: string, options: WaitOptions): Promise<unknown> {
    assertKnownOptions(options, ['timeout', 'signal']);
    const { timeout = '1m', signal } = options;
    const milliseconds = toMilliseconds('timeout', timeout, 1, LONGEST_TIMER);
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      throw new InvalidOptionError('signal', signal, 'an AbortSignal');
    }
    signal?.throwIfAborted();
    const key = id.toLowerCase();
    let stop = (): void => undefined;
    let outcome: JobOutcome;
    try {
      outcome = await new Promise<JobOutcome>((resolve, reject) => {
        const wait: Wait = { resolve, reject };
        const timer = setTimeout(() => reject(this.timeout(id, milliseconds)), milliseconds);
        const aborted = () => reject(signal?.reason as Error);
        signal?.addEventListener('abort', aborted);
        stop = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', aborted);
          this.remove(key, wait);
        };
        this.add(key, wait);
      });
    } finally {
      stop();
    }
    return this.resultOf(outcome);
  }

  /** Parsed here: each caller gets an object of its own. */
  private async resultOf({ id, state, result, error }: JobOutcome): Promise<unknown> {
    switch (state) {
      case 'succeeded': {
        const isPlain = result === null || !isEncoded(result);
        return storedValue(isPlain ? result : await this.codecs.decode(result, 'result', `result of job ${id}`));
      }
      case 'failed':
        throw new JobFailedError(id, error === null ? undefined : await decodeError(this.codecs, error));
      case 'cancelled':
        throw new JobCancelledError(`Job ${id} was cancelled.`);
      case 'expired':
        throw new JobExpiredError(id);
    }
  }

  /** A worker of this process has finished a job. Costs nothing if no caller waits. */
  onJobFinished(id: string): void {
    const job = this.jobs.size > 0 ? this.jobs.get(id) : undefined;
    if (job) {
      job.wasSeen = true;
      this.pollNow();
    }
  }

  private timeout(id: string, milliseconds: number): WaitTimeoutError {
    const wasSeen = this.jobs.get(id.toLowerCase())?.wasSeen === true;
    return new WaitTimeoutError(id, milliseconds, wasSeen, this.failure);
  }

  private add(id: string, wait: Wait): void {
    const job = this.jobs.get(id);
    if (job) {
      job.waits.add(wait);
    } else {
      this.jobs.set(id, { waits: new Set([wait]), wasSeen: false });
    }
    this.pollNow();
  }

  private remove(id: string, wait: Wait): void {
    const job = this.jobs.get(id);
    if (job?.waits.delete(wait) && job.waits.size === 0) {
      this.jobs.delete(id);
    }
    if (this.jobs.size === 0) {
      clearTimeout(this.timer);
      this.failure = undefined;
    }
  }

  /** Polls at the next event-loop turn, so that the waits until then share the statement. */
  private pollNow(): void {
    this.interval = FIRST_INTERVAL;
    if (this.isPolling) {
      this.pollAgain = true;
    } else {
      this.schedulePoll(0);
    }
  }

  private schedulePoll(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.poll(), milliseconds);
  }

  private async poll(): Promise<void> {
    this.isPolling = true;
    this.pollAgain = false;
    try {
      // `wasSeen` as it is now: a job that is seen meanwhile may be newer than the snapshot of the statement.
      const asked = [...this.jobs].map(([id, { wasSeen }]) => ({ id, wasSeen }));
      const ids = asked.map(({ id }) => uuidToBytes(id));
      const outcomes = await executeRead(this.engine, 'wait for jobs', (dialect) => findOutcomes(dialect, ids));
      this.failure = undefined;
      this.onPollResult(asked, outcomes);
    } catch (error) {
      this.onPollError(error);
    }
    this.isPolling = false;
    if (this.jobs.size > 0) {
      this.schedulePoll(this.pollAgain ? 0 : this.interval);
      this.interval = Math.min(this.interval * GROWTH, LONGEST_INTERVAL);
    }
  }

  private onPollResult(asked: readonly { id: string; wasSeen: boolean }[], { ended, live }: JobOutcomes): void {
    ended.forEach((outcome) => this.resolveWaits(outcome));
    const present = new Set(live);
    for (const { id, wasSeen } of asked) {
      const job = this.jobs.get(id);
      if (job && present.has(id)) {
        job.wasSeen = true;
      } else if (job && wasSeen) {
        job.waits.forEach(({ reject }) => reject(new JobGoneError(id)));
        this.jobs.delete(id);
      }
    }
  }

  private resolveWaits(outcome: JobOutcome): void {
    this.jobs.get(outcome.id)?.waits.forEach(({ resolve }) => resolve(outcome));
    this.jobs.delete(outcome.id);
  }

  /** While the database is unavailable the waits go on until their timeout. */
  private onPollError(error: unknown): void {
    if (isDatabaseUnavailable(error)) {
      this.failure = error;
      return;
    }
    this.jobs.forEach(({ waits }) => waits.forEach(({ reject }) => reject(error)));
    this.jobs.clear();
  }
}

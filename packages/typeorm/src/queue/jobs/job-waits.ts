import { uuidToBytes } from '../../definition/job-id.js';
import { type Duration, LONGEST_TIMER, toMilliseconds } from '../../duration.js';
import type { Engine } from '../../engine/engine.js';
import {
  InvalidOptionError,
  JobCancelledError,
  JobFailedError,
  JobGoneError,
  WaitTimeoutError,
  isDatabaseUnavailable,
} from '../../errors/index.js';
import { assertKnownOptions } from '../../options.js';
import { type JobOutcome, type JobOutcomes, findOutcomes } from '../../store/reports/find-outcomes.js';

/** How long to wait between two looks, in ms: after the first one, and at most. Each is longer than the one before. */
const FIRST_INTERVAL = 20;
const LONGEST_INTERVAL = 250;
const GROWTH = 1.5;

/** What `waitFor` takes besides the id. */
export interface WaitOptions {
  /** How long to wait. At least 1 ms. Default: 1 minute. */
  readonly timeout?: Duration;
  /** Ends the waiting when it is aborted. */
  readonly signal?: AbortSignal;
}

interface Wait {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A job that is waited for, by however many. */
interface AwaitedJob {
  readonly waits: Set<Wait>;
  /** Whether it is known to have been there: one that is in neither table then has ended. */
  wasSeen: boolean;
}

/**
 * The jobs somebody in this process waits for. One statement asks for all of them; between two of them one timer runs,
 * and one for each wait until it ends. They keep the process alive, as whoever waits expects, and nothing stays when the
 * last wait has ended.
 */
export class JobWaits {
  private readonly jobs = new Map<string, AwaitedJob>();
  private timer: NodeJS.Timeout | undefined;
  private interval = FIRST_INTERVAL;
  private isPolling = false;
  private pollAgain = false;
  private failure: unknown;

  constructor(private readonly engine: Engine) {}

  /** How many jobs are waited for. */
  get size(): number {
    return this.jobs.size;
  }

  /** @throws as `TableQueue.waitFor` does. */
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
    try {
      return await new Promise<unknown>((resolve, reject) => {
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
  }

  /** A job has ended in this process. Costs nothing where nobody waits. */
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

  /** In the next turn of the event loop: whatever comes until then shares the look. */
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
      // What is learnt from now on of their having been there may be younger than what the look sees.
      const asked = [...this.jobs].map(([id, { wasSeen }]) => ({ id, wasSeen }));
      const ids = asked.map(({ id }) => uuidToBytes(id));
      const endings = await this.engine.execute((dialect) => findOutcomes(dialect, ids), {
        purpose: 'look for jobs that have ended',
        readOnly: true,
      });
      this.failure = undefined;
      this.onPollResult(asked, endings);
    } catch (error) {
      this.onPollError(error);
    }
    this.isPolling = false;
    if (this.jobs.size > 0) {
      this.schedulePoll(this.pollAgain ? 0 : this.interval);
      this.interval = Math.min(this.interval * GROWTH, LONGEST_INTERVAL);
    }
  }

  private onPollResult(asked: readonly { id: string; wasThere: boolean }[], { ended, live }: JobOutcomes): void {
    ended.forEach((ending) => this.resolveWaits(ending));
    const there = new Set(live);
    for (const { id, wasThere } of asked) {
      const job = this.jobs.get(id);
      if (job && there.has(id)) {
        job.wasSeen = true;
      } else if (job && wasThere) {
        job.waits.forEach(({ reject }) => reject(new JobGoneError(id)));
        this.jobs.delete(id);
      }
    }
  }

  private resolveWaits(ending: JobOutcome): void {
    for (const { resolve, reject } of this.jobs.get(ending.id)?.waits ?? []) {
      switch (ending.state) {
        case 'succeeded':
          // Parsed for each: what one of them does to it is not the others' business.
          resolve(ending.result === null ? undefined : JSON.parse(ending.result));
          break;
        case 'failed':
          reject(new JobFailedError(ending.id, ending.error ?? undefined));
          break;
        case 'cancelled':
          reject(new JobCancelledError(`Job ${ending.id} was cancelled.`));
      }
    }
    this.jobs.delete(ending.id);
  }

  /** While the database is away the waits go on until their time is over. */
  private onPollError(error: unknown): void {
    if (isDatabaseUnavailable(error)) {
      this.failure = error;
      return;
    }
    this.jobs.forEach(({ waits }) => waits.forEach(({ reject }) => reject(error)));
    this.jobs.clear();
  }
}

import type { Waiter } from '../../async/batcher.js';
import { WakeUp } from '../../async/wake-up.js';
import type { Engine } from '../../engine/engine.js';
import { DatabaseBusyError, isDatabaseUnavailable } from '../../errors/index.js';
import { isPermanentError } from '../../errors/is-permanent-error.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { Redact } from '../../redaction.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { type AttemptPresence, findAttempt } from '../../store/complete/find-attempt.js';
import { type Completion, CompletionBatcher } from './completion-batcher.js';
import { messageOf } from '../../errors/thrown.js';
import { type AttemptResult, type PendingOutcome, RETURNED, SUCCEEDED, reducedOutcome } from './outcome.js';
import { retryWhileLocked } from './retry-while-locked.js';

/** After how long an open transaction that delays an outcome is logged, in ms. */
const LOCKED_WARNING_AFTER = 3_000;
/** How much longer such an outcome is retried when the worker stops, in ms: most transactions are short. */
const LOCKED_PATIENCE_AT_STOP = 1_000;
/** The pause before an outcome that could not be stored is retried, in ms: the first and the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** How often an outcome is retried unchanged after errors of unknown cause: for about three minutes. */
const TRIES_BEFORE_REDUCING = 20;

/** A stored outcome. */
interface Completed {
  readonly outcome: PendingOutcome;
  readonly isOurs: boolean;
}

/** Receives the end of a completion: one of these calls, once. They must not throw. */
export interface CompletionListener {
  /**
   * @param outcome what was stored.
   * @param isOurs whether the job was still this worker's. If not, another worker has it and nothing was stored.
   */
  onWritten(outcome: PendingOutcome, isOurs: boolean): void;
  /** @param error why the last try failed, after `giveUp`. */
  onGivenUp(error: unknown): void;
}

/**
 * Completes jobs: stores their outcomes, and retries until they are stored.
 *
 * An outcome is never dropped while the worker lives, because its job would count as running until then. While the
 * database is away it is retried. What the database refuses is reduced to something it cannot refuse: at once where the
 * error is about a value, else after a while. When the worker gives up, its lease ends and the job runs again
 * elsewhere. See decision 0016.
 */
export class JobCompleter {
  private readonly batcher: CompletionBatcher;
  /** The pauses of outcomes that are retried. */
  private readonly pauses = new Set<WakeUp>();
  private givenUpAt = Infinity;

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
    private readonly redact: Redact,
  ) {
    this.batcher = new CompletionBatcher(engine);
  }

  /**
   * Stores an outcome. The first try, which nearly always succeeds, makes no promise: at 30,000 jobs a second memory is
   * most of the cost, see decision 0033.
   *
   * @param progress the last progress of the job that is not stored yet.
   */
  complete(job: ClaimedJob, outcome: AttemptResult, progress: string | null, listener: CompletionListener): void {
    switch (outcome.kind) {
      case 'committed':
        notify(listener, this.completeCommitted(job, outcome.isOurs));
        break;
      case 'uncertain':
        notify(listener, this.completeUncertain(job, outcome, progress));
        break;
      default:
        this.batcher.addOutcome(job, outcome, progress, new FirstTry(this, job, outcome, progress, listener));
    }
  }

  /**
   * A transaction that did not find its job was rolled back. On another node of a cluster it may have run before the
   * claim was replicated. Then the job is still this worker's and would count as running forever, so it is returned.
   */
  private async completeCommitted(job: ClaimedJob, isOurs: boolean): Promise<Completed> {
    if (!isOurs) {
      await this.write(job, RETURNED, null).catch((error: unknown) => {
        return this.tryAgain(job, error, () => this.write(job, RETURNED, null));
      });
    }
    return { outcome: SUCCEEDED, isOurs };
  }

  /** From now on an outcome that cannot be stored at once is given up. Those that pause are retried at once. */
  giveUp(): void {
    this.givenUpAt = performance.now();
    // The cache would take a row for locked for longer than its outcome is retried from now on.
    this.engine.dialect.lockedRows?.close();
    this.pauses.forEach((pause) => pause.wake());
  }

  private get hasGivenUp(): boolean {
    return this.givenUpAt !== Infinity;
  }

  private async completeUncertain(
    job: ClaimedJob,
    { keep, ifRolledBack }: Extract<AttemptResult, { kind: 'uncertain' }>,
    progress: string | null,
  ): Promise<Completed> {
    const state = await this.findAttempt(job, keep).catch((error: unknown) => {
      return this.tryAgain(job, error, () => this.findAttempt(job, keep));
    });
    if (state !== 'running') {
      return { outcome: SUCCEEDED, isOurs: state === 'finished' };
    }
    return new Promise((resolve, reject) => {
      const onWritten = (outcome: PendingOutcome, isOurs: boolean) => resolve({ outcome, isOurs });
      this.complete(job, ifRolledBack, progress, { onWritten, onGivenUp: reject });
    });
  }

  /** Goes on after a first try that found the job locked. */
  async completeLocked(job: ClaimedJob, outcome: PendingOutcome, progress: string | null): Promise<Completed> {
    try {
      return { outcome, isOurs: await this.writeWhenUnlocked(job, outcome, progress) };
    } catch (error) {
      return this.completeFailed(job, outcome, progress, error);
    }
  }

  /** Goes on after a first try that failed. */
  async completeFailed(
    job: ClaimedJob,
    outcome: PendingOutcome,
    progress: string | null,
    failure: unknown,
  ): Promise<Completed> {
    let current = outcome;
    let currentProgress = progress;
    let tries = 0;
    const isOurs = await this.tryAgain(job, failure, (error) => {
      tries++;
      if (isPermanentError(error) || (tries > TRIES_BEFORE_REDUCING && !isDatabaseUnavailable(error))) {
        // The progress may be what the database refuses.
        current = currentProgress === null ? reducedOutcome(current, this.redact(messageOf(error))) : current;
        currentProgress = null;
      }
      return this.write(job, current, currentProgress);
    });
    return { outcome: current, isOurs };
  }

  /** @param attempt is given the error of the try before. */
  private async tryAgain<T>(job: ClaimedJob, failure: unknown, attempt: (error: unknown) => Promise<T>): Promise<T> {
    let error = failure;
    for (let pause = FIRST_PAUSE; !this.hasGivenUp; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      logError(this.logger, `The outcome of a job "${job.name}" could not be stored and is tried again`, error);
      await this.pause(pause);
      try {
        return await attempt(error);
      } catch (again) {
        error = again;
      }
    }
    throw error;
  }

  private async pause(milliseconds: number): Promise<void> {
    const pause = new WakeUp();
    this.pauses.add(pause);
    await pause.sleep(milliseconds);
    this.pauses.delete(pause);
  }

  private async findAttempt(job: ClaimedJob, keep: 'all' | 'none'): Promise<Exclude<AttemptPresence, 'busy'>> {
    const options = { purpose: 'look up an attempt', atomic: true };
    const find = () => this.engine.execute((dialect) => findAttempt(dialect, job, keep), options);
    const state = await find();
    return state === 'busy' ? this.waitWhileLocked(job, find) : state;
  }

  private async write(job: ClaimedJob, outcome: PendingOutcome, progress: string | null): Promise<boolean> {
    const completion = await this.tryOnce(job, outcome, progress);
    return completion === 'busy' ? this.writeWhenUnlocked(job, outcome, progress) : completion === 'ours';
  }

  private async writeWhenUnlocked(job: ClaimedJob, outcome: PendingOutcome, progress: string | null): Promise<boolean> {
    return (await this.waitWhileLocked(job, () => this.tryOnce(job, outcome, progress))) === 'ours';
  }

  private tryOnce(job: ClaimedJob, outcome: PendingOutcome, progress: string | null): Promise<Completion> {
    return new Promise((resolve, reject) => this.batcher.addOutcome(job, outcome, progress, { resolve, reject }));
  }

  /** A job whose row or unique key is locked stays as it is until the transaction that locked it has ended. */
  private waitWhileLocked<T>(job: ClaimedJob, attempt: () => Promise<T | 'busy'>): Promise<T> {
    const since = performance.now();
    let hasWarned = false;
    let hasTriedLast = false;
    return retryWhileLocked(attempt, () => {
      // Without SKIP LOCKED one try may take longer than that, and may have started with an old entry of the cache.
      if (hasTriedLast && performance.now() - this.givenUpAt > LOCKED_PATIENCE_AT_STOP) {
        throw new DatabaseBusyError('store the outcome of a job', 'an open transaction has locked it.');
      }
      if (!hasWarned && performance.now() - since > LOCKED_WARNING_AFTER) {
        hasWarned = true;
        this.logger.warn(
          `The outcome of a job "${job.name}" waits for an open transaction that has locked the job. Look for long ` +
            "transactions on the queue's tables.",
        );
      }
      hasTriedLast = this.hasGivenUp;
    });
  }
}

/** Waits for the first try of an outcome. A class because there is one for each running job, see decision 0032. */
class FirstTry implements Waiter<Completion> {
  constructor(
    private readonly completer: JobCompleter,
    private readonly job: ClaimedJob,
    private readonly outcome: PendingOutcome,
    private readonly progress: string | null,
    private readonly listener: CompletionListener,
  ) {}

  resolve(completion: Completion): void {
    if (completion === 'busy') {
      notify(this.listener, this.completer.completeLocked(this.job, this.outcome, this.progress));
    } else {
      this.listener.onWritten(this.outcome, completion === 'ours');
    }
  }

  reject(error: unknown): void {
    notify(this.listener, this.completer.completeFailed(this.job, this.outcome, this.progress, error));
  }
}

function notify(listener: CompletionListener, completing: Promise<Completed>): void {
  void completing.then(
    ({ outcome, isOurs }) => listener.onWritten(outcome, isOurs),
    (error: unknown) => listener.onGivenUp(error),
  );
}

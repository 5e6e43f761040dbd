import type { Engine } from '../../engine/engine.js';
import { DatabaseBusyError, isDatabaseUnavailable } from '../../errors/index.js';
import { isAboutValue } from '../../errors/is-about-value.js';
import type { Waiter } from '../../async/batcher.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { Redact } from '../../redaction.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import { type AttemptPresence, findAttempt } from '../../store/complete/find-attempt.js';
import { messageOf } from './error-text.js';
import { type PendingOutcome, RETURNED, type AttemptResult, SUCCEEDED, reducedOutcome } from './outcome.js';
import { CompletionBatcher, type Completion } from './completion-batcher.js';
import { retryWhileLocked } from './retry-while-locked.js';
import { WakeUp } from '../../async/wake-up.js';

/** After how long, in ms, somebody is told of an open transaction that holds an outcome up. */
const LONG_BUSY = 3_000;
/** How much longer, in ms, such an outcome is tried when the worker stops: most transactions are short. */
const LAST_BUSY = 1_000;
/** How long to wait, in ms, before an outcome that could not be written down is tried again: at first, and at most. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** How often an outcome is tried whole after errors of which nobody knows what they are about: for about three minutes. */
const WHOLE_TRIES = 20;

/** What `SettleListener.written` is told. */
interface Settled {
  readonly outcome: PendingOutcome;
  readonly isOurs: boolean;
}

/** Who is told what came of an outcome: exactly one of these, once. They must not throw. */
export interface CompletionListener {
  /**
   * @param outcome what was written down.
   * @param isOurs whether the job was still this worker's: false when another has taken it over.
   */
  written(outcome: PendingOutcome, isOurs: boolean): void;
  /** @param error what the last try failed with, after `giveUp`. */
  givenUp(error: unknown): void;
}

/**
 * Sees to it that what came of the jobs is written down.
 *
 * An outcome is never dropped while the worker lives, or its job would count as running for as long: while the database
 * is away it is tried again, and what the database refuses is reduced to what it cannot refuse; at once where the error
 * is about a value, and otherwise only after a while: a statement that was killed says nothing of a result. When the
 * worker gives up its lease ends, and the job runs once more elsewhere: that is what "at least once" means.
 */
export class JobCompleter {
  private readonly writer: CompletionBatcher;
  /** Of outcomes that are tried again after them. */
  private readonly pauses = new Set<WakeUp>();
  private gaveUpAt = Infinity;

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
    private readonly redact: Redact,
  ) {
    this.writer = new CompletionBatcher(engine);
  }

  /**
   * Writes an outcome down. Nearly always the first try does it, and makes no promise: at 30,000 jobs a second most of
   * what they cost is memory, see docs/decisions.md.
   *
   * @param progress what its handler has told last and nobody has written down yet.
   */
  settle(job: ClaimedJob, outcome: AttemptResult, progress: string | null, listener: CompletionListener): void {
    switch (outcome.kind) {
      case 'committed':
        tell(listener, this.settleCommitted(job, outcome.isOurs));
        break;
      case 'in doubt':
        tell(listener, this.settleDoubt(job, outcome, progress));
        break;
      default:
        this.writer.add(job, outcome, progress, new FirstTry(this, job, outcome, progress, listener));
    }
  }

  /**
   * A transaction that has not found its job was rolled back. On another node of a cluster it may have looked before the
   * claim was known there, so the job, if it is still this worker's, is handed back: else it would run for ever.
   */
  private async settleCommitted(job: ClaimedJob, isOurs: boolean): Promise<Settled> {
    if (!isOurs) {
      await this.write(job, RETURNED, null).catch((error: unknown) => {
        return this.tryAgain(job, error, () => this.write(job, RETURNED, null));
      });
    }
    return { outcome: SUCCEEDED, isOurs };
  }

  /** From now on an outcome that cannot be written down at once is given up. Those that wait are tried at once. */
  giveUp(): void {
    this.gaveUpAt = performance.now();
    // A row is believed to be held for longer than an outcome is tried from now on.
    this.engine.dialect.lockedRows?.close();
    this.pauses.forEach((pause) => pause.call());
  }

  private get gaveUp(): boolean {
    return this.gaveUpAt !== Infinity;
  }

  private async settleDoubt(
    job: ClaimedJob,
    { keep, otherwise }: Extract<AttemptResult, { kind: 'in doubt' }>,
    progress: string | null,
  ): Promise<Settled> {
    const state = await this.findRun(job, keep).catch((error: unknown) => {
      return this.tryAgain(job, error, () => this.findRun(job, keep));
    });
    if (state !== 'running') {
      return { outcome: SUCCEEDED, isOurs: state === 'finished' };
    }
    return new Promise((resolve, reject) => {
      const written = (outcome: PendingOutcome, isOurs: boolean) => resolve({ outcome, isOurs });
      this.settle(job, otherwise, progress, { written, givenUp: reject });
    });
  }

  /** The first try has found the job locked. */
  async writeWhenFree(job: ClaimedJob, outcome: PendingOutcome, progress: string | null): Promise<Settled> {
    try {
      return { outcome, isOurs: await this.onceFree(job, outcome, progress) };
    } catch (error) {
      return this.writeAgain(job, outcome, progress, error);
    }
  }

  /** The first try has failed. */
  async writeAgain(
    job: ClaimedJob,
    outcome: PendingOutcome,
    progress: string | null,
    failure: unknown,
  ): Promise<Settled> {
    let current = outcome;
    let told = progress;
    let tries = 0;
    const isOurs = await this.tryAgain(job, failure, (error) => {
      tries++;
      if (isAboutValue(error) || (tries > WHOLE_TRIES && !isDatabaseUnavailable(error))) {
        current = reducedOutcome(current, this.redact(messageOf(error)));
        told = null;
      }
      return this.write(job, current, told);
    });
    return { outcome: current, isOurs };
  }

  /** @param attempt is told why the last one failed. */
  private async tryAgain<T>(job: ClaimedJob, failure: unknown, attempt: (error: unknown) => Promise<T>): Promise<T> {
    let error = failure;
    for (let pause = FIRST_PAUSE; !this.gaveUp; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      logError(this.logger, `The outcome of a job "${job.name}" could not be written down and is tried again`, error);
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

  private async findRun(job: ClaimedJob, keep: 'all' | 'none'): Promise<Exclude<AttemptPresence, 'busy'>> {
    const options = { purpose: 'look for a run', atomic: true };
    const find = () => this.engine.execute((dialect) => findAttempt(dialect, job, keep), options);
    const state = await find();
    return state === 'busy' ? this.untilFree(job, find) : state;
  }

  private async write(job: ClaimedJob, outcome: PendingOutcome, progress: string | null): Promise<boolean> {
    const settlement = await this.tryOnce(job, outcome, progress);
    return settlement === 'busy' ? this.onceFree(job, outcome, progress) : settlement === 'ours';
  }

  private async onceFree(job: ClaimedJob, outcome: PendingOutcome, progress: string | null): Promise<boolean> {
    return (await this.untilFree(job, () => this.tryOnce(job, outcome, progress))) === 'ours';
  }

  private tryOnce(job: ClaimedJob, outcome: PendingOutcome, progress: string | null): Promise<Completion> {
    return new Promise((resolve, reject) => this.writer.add(job, outcome, progress, { resolve, reject }));
  }

  /** A job whose row or unique key is locked stays as it is until the transaction that has locked it is over. */
  private untilFree<T>(job: ClaimedJob, attempt: () => Promise<T | 'busy'>): Promise<T> {
    const since = performance.now();
    let isTold = false;
    let isTriedLast = false;
    return retryWhileLocked(attempt, () => {
      // Without SKIP LOCKED one try may take longer than that, and may have begun with what was believed before.
      if (isTriedLast && performance.now() - this.gaveUpAt > LAST_BUSY) {
        throw new DatabaseBusyError('write down the outcome of a job', 'an open transaction has locked it.');
      }
      if (!isTold && performance.now() - since > LONG_BUSY) {
        isTold = true;
        this.logger.warn(
          `The outcome of a job "${job.name}" waits for an open transaction that has locked the job. Look for long ` +
            "transactions on the queue's tables.",
        );
      }
      isTriedLast = this.gaveUp;
    });
  }
}

/** Waits for the first try of an outcome. A class because there is one for each running job, see `JobOfRow`. */
class FirstTry implements Waiter<Completion> {
  constructor(
    private readonly settler: JobCompleter,
    private readonly job: ClaimedJob,
    private readonly outcome: PendingOutcome,
    private readonly progress: string | null,
    private readonly listener: CompletionListener,
  ) {}

  resolve(settlement: Completion): void {
    if (settlement === 'busy') {
      tell(this.listener, this.settler.writeWhenFree(this.job, this.outcome, this.progress));
    } else {
      this.listener.written(this.outcome, settlement === 'ours');
    }
  }

  reject(error: unknown): void {
    tell(this.listener, this.settler.writeAgain(this.job, this.outcome, this.progress, error));
  }
}

function tell(listener: CompletionListener, settling: Promise<Settled>): void {
  void settling.then(
    ({ outcome, isOurs }) => listener.written(outcome, isOurs),
    (error: unknown) => listener.givenUp(error),
  );
}

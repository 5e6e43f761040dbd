import { isThenable } from '../../async/thenable.js';
import { WorkerStoppingError } from '../../errors/index.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { EncodedOutcome } from '../completing/encode-outcome.js';
import type { CompletionListener, JobCompleter } from '../completing/job-completer.js';
import { type AttemptResult, CANCELLED, type PendingOutcome, RETURNED, STILL_RUNNING } from '../completing/outcome.js';
import type { ThroughputCounter } from '../completing/throughput-counter.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';
import type { JobLog } from '../handlers/job-log.js';
import type { LogWriter } from '../logging/log-writer.js';
import type { DurableRun } from '../durable/durable-run.js';
import { Attempt, type AttemptHost } from './attempt.js';
import type { JobExecutor } from './job-executor.js';
import type { Linked } from './linked-list.js';
import type { OutcomeEvents } from './outcome-events.js';
import type { PoisonIsolation } from './poison-isolation.js';
import type { ProgressWriter } from '../completing/progress-writer.js';

/** The slot of a claimed job. */
export interface JobSlot {
  /** The handler has ended. */
  onHandlerEnded(): void;
  /** The outcome is stored, or given up. */
  onCompleted(): void;
}

/** What all running jobs of a worker work with. */
export interface RunningJobDependencies {
  readonly executor: JobExecutor;
  readonly completer: JobCompleter;
  readonly progress: ProgressWriter;
  readonly logs: LogWriter;
  readonly poisonIsolation: PoisonIsolation;
  readonly outcomeEvents: OutcomeEvents;
  readonly events: WorkerEventEmitter;
  readonly throughput: ThroughputCounter | undefined;
  readonly onProgress: (job: ClaimedJob, value: unknown) => void;
  /** Whether there is a request to cancel a job. */
  readonly isCancelled: (job: ClaimedJob) => boolean;
  /** Whether a handler of the job still runs after its timeout. */
  readonly isTimedOut: (job: ClaimedJob) => boolean;
  /** A handler still runs after its timeout. Resolves when it has ended. */
  readonly onTimedOut: (job: ClaimedJob, handlerEnd: Promise<AttemptResult>) => Promise<void>;
  /** Called when the handler has ended and the outcome is stored, or given up. */
  readonly onFinished: (running: RunningJob) => void;
}

/**
 * A job in this process, from its claim until its handler has ended and its outcome is stored, whichever is later.
 *
 * One object for each job, with promises only where something is awaited: 4.4 KB a job instead of 6.4. See decision
 * 0033.
 */
export class RunningJob implements Linked<RunningJob>, CompletionListener, AttemptHost {
  previous: RunningJob | undefined = undefined;
  next: RunningJob | undefined = undefined;
  readonly attempt: Attempt;
  /** By `performance.now()`. */
  private startedAt = 0;
  private endedAt = 0;
  /** Whether the outcome is known. The handler may still run; its later result is ignored. */
  private isCompleting = false;
  private isCompleted = false;
  private hasAttemptEnded = false;
  private hasEnded = false;
  private completedListeners: (() => void)[] | undefined = undefined;

  constructor(
    readonly job: ClaimedJob,
    private readonly slot: JobSlot,
    private readonly dependencies: RunningJobDependencies,
  ) {
    this.attempt = new Attempt(job, this);
  }

  /** Runs the handler and completes the job with its outcome. */
  start(): void {
    this.startedAt = performance.now();
    const outcome = this.outcomeWithoutRun() ?? this.runAttempt();
    if (isThenable(outcome)) {
      void outcome.then((awaited) => this.onAttemptEnded(awaited));
    } else {
      this.onAttemptEnded(outcome);
    }
  }

  /** Returns the job to the queue and aborts its handler, unless its outcome is known. Not counted as a failure. */
  returnToQueue(): void {
    if (!this.isCompleting) {
      this.attempt.abort(new WorkerStoppingError());
      this.complete(RETURNED);
    }
  }

  /** Resolves when the outcome is stored, or given up. */
  whenCompleted(): Promise<void> {
    return this.isCompleted
      ? Promise.resolve()
      : new Promise((resolve) => (this.completedListeners ??= []).push(resolve));
  }

  onProgress(value: unknown): void {
    this.dependencies.onProgress(this.job, value);
  }

  openLog(): JobLog {
    return this.dependencies.logs.open(this.job);
  }

  startDurableRun(): DurableRun {
    return this.dependencies.executor.startDurableRun(this.job, this.attempt);
  }

  endEarly(outcome: AttemptResult): void {
    this.onAttemptEnded(outcome);
  }

  onWritten(outcome: PendingOutcome, isOurs: boolean): void {
    const { outcomeEvents, throughput } = this.dependencies;
    if (isOurs) {
      throughput?.countAttempt(this.job, outcome.kind, this.startedAt, this.endedAt);
      outcomeEvents.emitOutcome(this.job, this.attempt, outcome);
    } else {
      outcomeEvents.emitLost(this.attempt);
    }
    this.onCompleted();
  }

  onGivenUp(error: unknown): void {
    this.dependencies.outcomeEvents.logGivenUp(this.attempt, error);
    this.onCompleted();
  }

  /** The outcome of a job that must not run here now; undefined for all others. */
  private outcomeWithoutRun(): AttemptResult | undefined {
    if (this.dependencies.isCancelled(this.job)) {
      return CANCELLED;
    }
    return this.dependencies.isTimedOut(this.job) ? STILL_RUNNING : undefined;
  }

  private runAttempt(): AttemptResult | Promise<AttemptResult> {
    const { executor, poisonIsolation } = this.dependencies;
    return executor.isLastChance(this.job)
      ? poisonIsolation.runIsolated(() =>
          this.attempt.abortReason === undefined ? this.attempt.orEarlyEnd(this.execute()) : RETURNED,
        )
      : this.execute();
  }

  private execute(): AttemptResult | Promise<AttemptResult> {
    this.dependencies.events.emitSafely('started', this.attempt);
    return this.dependencies.executor.execute(this.job, this.attempt);
  }

  private onAttemptEnded(outcome: AttemptResult): void {
    if (this.hasAttemptEnded) {
      // The run ended before its handler.
      return;
    }
    this.hasAttemptEnded = true;
    if (!this.isCompleting) {
      this.complete(outcome);
    }
    if (this.attempt.handlerEnd || this.attempt.batchCall) {
      void this.waitForHandler().then(() => this.onHandlerEnded());
    } else {
      this.onHandlerEnded();
    }
  }

  private async waitForHandler(): Promise<void> {
    if (this.attempt.handlerEnd) {
      await this.dependencies.onTimedOut(this.job, this.attempt.handlerEnd);
    }
    // A slot that is freed during the call would claim a single job, and so cut the next batch into pieces.
    await this.attempt.batchCall;
  }

  private complete(outcome: AttemptResult): void {
    const { completer, progress, executor, poisonIsolation } = this.dependencies;
    this.isCompleting = true;
    this.endedAt = performance.now();
    const lastProgress = progress.takeProgress(this.job);
    const encoding = executor.encodeOutcome(this.job, outcome, lastProgress);
    if (encoding || this.attempt.hasLog) {
      void this.completeLater(encoding ?? { outcome, progress: lastProgress }, this.storeLog(outcome));
    } else {
      completer.complete(this.job, outcome, lastProgress, this);
    }
    if (executor.isLastChance(this.job)) {
      poisonIsolation.trackCompletion(this.whenCompleted());
    }
  }

  /** Never rejects. */
  private async completeLater(
    encoding: EncodedOutcome<AttemptResult> | Promise<EncodedOutcome<AttemptResult>>,
    storedLog: Promise<void>,
  ): Promise<void> {
    const { outcome, progress } = await encoding;
    await storedLog;
    this.dependencies.completer.complete(this.job, outcome, progress, this);
  }

  /** A job that has ended shows its whole log, so its last lines are stored first. Never rejects. */
  private async storeLog(outcome: AttemptResult): Promise<void> {
    const { logs } = this.dependencies;
    if (!this.attempt.hasLog) {
      return;
    }
    if (outcome.kind === 'succeeded' && outcome.keep === 'none') {
      logs.discard(this.job);
    } else {
      await logs.flush();
    }
  }

  private onHandlerEnded(): void {
    this.hasEnded = true;
    this.slot.onHandlerEnded();
    this.finishIfDone();
  }

  private onCompleted(): void {
    this.isCompleted = true;
    this.completedListeners?.forEach((listener) => listener());
    this.finishIfDone();
  }

  private finishIfDone(): void {
    if (this.hasEnded && this.isCompleted) {
      this.dependencies.onFinished(this);
      this.slot.onCompleted();
    }
  }
}

import { WorkerStoppingError } from '../../errors/index.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import { isThenable } from '../../async/thenable.js';
import { Attempt } from './attempt.js';
import type { JobExecutor } from './job-executor.js';
import type { PoisonIsolation } from './poison-isolation.js';
import type { Linked } from './linked-list.js';
import { CANCELLED, STILL_RUNNING, type PendingOutcome, RETURNED, type AttemptResult } from '../completing/outcome.js';
import type { OutcomeEvents } from './outcome-events.js';
import type { TimedOutAttempts } from './timed-out-attempts.js';
import type { ProgressWriter } from './progress-writer.js';
import type { CompletionListener, JobCompleter } from '../completing/job-completer.js';
import type { ThroughputTally } from '../completing/throughput-tally.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';

/** Who is told how far a job has come. */
export interface Progress {
  /** Its handler has ended. */
  ended(): void;
  /** Its outcome is written down, or given up. */
  settled(): void;
}

/** What all running jobs of a worker work with. */
export interface RunningJobDependencies {
  readonly runner: JobExecutor;
  readonly settler: JobCompleter;
  readonly progress: ProgressWriter;
  readonly lastChances: PoisonIsolation;
  readonly overruns: TimedOutAttempts;
  readonly reports: OutcomeEvents;
  readonly events: WorkerEventEmitter;
  readonly tally: ThroughputTally | undefined;
  /** A handler tells how far it is. */
  readonly tell: (job: ClaimedJob, value: unknown) => void;
  /** Whether somebody wants it to end. */
  readonly isCancelled: (job: ClaimedJob) => boolean;
  /** Told of a job whose handler has ended, and whose outcome is written down, or given up. */
  readonly onOver: (running: RunningJob) => void;
}

/**
 * A job in this process, from its claim until its outcome is written down and its handler has ended, whichever is later.
 *
 * A drain has hundreds of them at a time, which young collections copy: one object, and promises only where something
 * is waited for, take 4.4 KB a job instead of 6.4 (see docs/decisions.md).
 */
export class RunningJob implements Linked<RunningJob>, CompletionListener {
  previous: RunningJob | undefined = undefined;
  next: RunningJob | undefined = undefined;
  readonly run: Attempt;
  /** By `performance.now()`. */
  private startedAt = 0;
  private endedAt = 0;
  /** Whether its outcome is known, although its handler may run on: what that says then is ignored. */
  private isSettling = false;
  private isSettled = false;
  private hasEnded = false;
  private settledListeners: (() => void)[] | undefined = undefined;

  constructor(
    readonly job: ClaimedJob,
    private readonly slot: Progress,
    private readonly parts: RunningJobDependencies,
  ) {
    this.run = new Attempt(job, parts.tell);
  }

  /** Runs its handler, and settles what comes of it. */
  begin(): void {
    this.startedAt = performance.now();
    const outcome = this.refusal() ?? this.attempt();
    if (isThenable(outcome)) {
      void outcome.then((awaited) => this.attempted(awaited));
    } else {
      this.attempted(outcome);
    }
  }

  /** Hands it back, uncharged, unless its outcome is known, and tells its handler. */
  handBack(): void {
    if (!this.isSettling) {
      this.run.abort(new WorkerStoppingError());
      this.settle(RETURNED);
    }
  }

  /** Resolves when its outcome is written down, or given up. */
  whenSettled(): Promise<void> {
    return this.isSettled ? Promise.resolve() : new Promise((resolve) => (this.settledListeners ??= []).push(resolve));
  }

  /** For the settler. */
  written(outcome: PendingOutcome, isOurs: boolean): void {
    const { reports, tally } = this.parts;
    if (isOurs) {
      tally?.count(this.job, outcome.kind, this.startedAt, this.endedAt);
      reports.written(this.job, this.run, outcome);
    } else {
      reports.lost(this.run);
    }
    this.settled();
  }

  /** For the settler. */
  givenUp(error: unknown): void {
    this.parts.reports.givenUp(this.run, error);
    this.settled();
  }

  /** The outcome of a job that is not to be run here and now. */
  private refusal(): AttemptResult | undefined {
    if (this.parts.isCancelled(this.job)) {
      return CANCELLED;
    }
    return this.parts.overruns.has(this.job) ? STILL_RUNNING : undefined;
  }

  private attempt(): AttemptResult | Promise<AttemptResult> {
    const { runner, lastChances } = this.parts;
    return runner.isLastChance(this.job)
      ? lastChances.run(() => (this.run.abortReason === undefined ? this.call() : RETURNED))
      : this.call();
  }

  private call(): AttemptResult | Promise<AttemptResult> {
    this.parts.events.tell('started', this.run);
    return this.parts.runner.run(this.job, this.run);
  }

  private attempted(outcome: AttemptResult): void {
    if (!this.isSettling) {
      this.settle(outcome);
    }
    if (this.run.overrun || this.run.call) {
      void this.untilHandlerEnds().then(() => this.ended());
    } else {
      this.ended();
    }
  }

  private async untilHandlerEnds(): Promise<void> {
    if (this.run.overrun) {
      await this.parts.overruns.untilEnd(this.job, this.run.overrun);
    }
    // A slot that is free while its call goes on would bring a job by itself, and so cut the next batch into pieces.
    await this.run.call;
  }

  private settle(outcome: AttemptResult): void {
    const { settler, progress, runner, lastChances } = this.parts;
    this.isSettling = true;
    this.endedAt = performance.now();
    settler.settle(this.job, outcome, progress.take(this.job), this);
    if (runner.isLastChance(this.job)) {
      lastChances.settling(this.whenSettled());
    }
  }

  private ended(): void {
    this.hasEnded = true;
    this.slot.ended();
    this.leaveIfOver();
  }

  private settled(): void {
    this.isSettled = true;
    this.settledListeners?.forEach((listener) => listener());
    this.leaveIfOver();
  }

  private leaveIfOver(): void {
    if (this.hasEnded && this.isSettled) {
      this.parts.onOver(this);
      this.slot.settled();
    }
  }
}

import { JobCancelledError, LeaseLostError, WorkerStoppingError } from '../errors/index.js';
import { type QueueLogger, logError } from '../logger.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import type { ClaimGate } from './claim-gate.js';
import type { JobInfo } from './job-handler.js';
import { JobRun } from './job-run.js';
import type { JobRunner } from './job-runner.js';
import { LastChances } from './last-chances.js';
import { type Linked, LinkedList } from './linked-list.js';
import type { RunOutcome } from './outcome.js';
import type { ProgressWriter } from './progress-writer.js';
import type { Settled, Settler } from './settler.js';
import type { ThroughputTally } from './throughput-tally.js';
import type { WorkerEventEmitter } from './worker-events.js';

/** Who is told how far a job has come. */
export interface Progress {
  /** Its handler has ended. */
  ended(): void;
  /** Its outcome is written down, or given up. */
  settled(): void;
}

const CANCELLED: RunOutcome = { kind: 'cancelled', text: null };
const RELEASED: RunOutcome = { kind: 'released' };
/** How long a job is put off, in ms, while an attempt runs here whose timeout is over. */
const OVERRUN: RunOutcome = { kind: 'snoozed', delay: 10_000, hasEnded: false };

interface RunningJob extends Linked<RunningJob> {
  readonly job: ClaimedJob;
  readonly run: JobRun;
  readonly progress: Progress;
  /** By `performance.now()`. */
  startedAt: number;
  /**
   * There from when its outcome is known, although its handler may run on: what that says then is ignored. Resolves when
   * the outcome is written down, or given up.
   */
  settled: Promise<void> | undefined;
}

/** The jobs that run in this process: starts them, settles them, breaks them off. */
export class RunningJobs {
  private readonly tell = (job: ClaimedJob, value: unknown): void => this.progress.tell(job, value);
  private readonly running = new LinkedList<RunningJob>();
  private readonly reported = new Set<string>();
  /** The ids of jobs that are to end, in hex. */
  private cancelled: ReadonlySet<string> = new Set();
  /** The ids of jobs whose handlers still run although their timeout is over, in hex. */
  private readonly overruns = new Set<string>();
  private readonly lastChances: LastChances;
  private whenIdle: (() => void) | undefined;

  constructor(
    private readonly runner: JobRunner,
    private readonly settler: Settler,
    private readonly progress: ProgressWriter,
    private readonly onFinished: (job: ClaimedJob, id: string) => void,
    private readonly events: WorkerEventEmitter,
    private readonly logger: QueueLogger,
    gate: ClaimGate,
    private readonly tally: ThroughputTally | undefined,
  ) {
    this.lastChances = new LastChances(gate);
  }

  get count(): number {
    return this.running.size;
  }

  /**
   * Starts a job in a tick of its own, so that the first synchronous part of one handler, on SQLite a whole
   * transaction, is not entangled with the next one's.
   */
  start(job: ClaimedJob, progress: Progress): void {
    const running: RunningJob = {
      job,
      run: new JobRun(job, this.tell),
      progress,
      startedAt: 0,
      settled: undefined,
      previous: undefined,
      next: undefined,
    };
    this.running.add(running);
    setImmediate((each: RunningJob) => void this.runAndSettle(each), running);
  }

  /** These jobs, of this worker or another, are to end: tells their handlers. One that comes here later is not run. */
  cancel(ids: readonly Buffer[]): void {
    this.cancelled = new Set(ids.map((id) => id.toString('hex')));
    if (this.cancelled.size > 0) {
      for (const { job, run } of this.running) {
        if (this.isCancelled(job)) {
          run.abort(new JobCancelledError());
        }
      }
    }
  }

  /** Whether one of these is to end, as far as is known. */
  mayBeCancelled(jobs: readonly ClaimedJob[]): boolean {
    return this.cancelled.size > 0 && jobs.some((job) => this.isCancelled(job));
  }

  /** The lease is lost: tells the handlers. What they still do is fenced off if another worker has their job. */
  loseAll(): void {
    for (const { run } of this.running) {
      run.abort(new LeaseLostError());
    }
  }

  /** @returns whether all jobs have ended within the time. */
  async idle(milliseconds: number): Promise<boolean> {
    if (this.running.size === 0) {
      return true;
    }
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.whenIdle = resolve;
      timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
    return this.running.size === 0;
  }

  /**
   * Hands back, uncharged, the jobs whose outcome is not known, and tells their handlers. What is known may still have to
   * be written down: released beside that, a job that is done would run again.
   *
   * @returns when all outcomes are written down, or given up.
   */
  async handBack(): Promise<void> {
    await Promise.all([...this.running].map((running) => (running.settled ??= this.release(running))));
  }

  private release(running: RunningJob): Promise<void> {
    running.run.abort(new WorkerStoppingError());
    return this.settle(running, RELEASED);
  }

  private async runAndSettle(running: RunningJob): Promise<void> {
    const { job, run, progress } = running;
    running.startedAt = performance.now();
    const outcome = this.refusal(job) ?? (await this.run(job, run));
    running.settled ??= this.settle(running, outcome);
    if (run.overrun) {
      await this.untilHandlerEnds(job, run.overrun);
    }
    if (run.call) {
      // A slot that is free while its call goes on would bring a job by itself, and so cut the next batch into pieces.
      await run.call;
    }
    progress.ended();
    await running.settled;
    this.running.remove(running);
    progress.settled();
    if (this.running.size === 0) {
      this.whenIdle?.();
    }
  }

  /** The outcome of a job that is not to be run here and now. */
  private refusal(job: ClaimedJob): RunOutcome | undefined {
    if (this.isCancelled(job)) {
      return CANCELLED;
    }
    return this.overruns.size > 0 && this.overruns.has(job.id.toString('hex')) ? OVERRUN : undefined;
  }

  private run(job: ClaimedJob, run: JobRun): Promise<RunOutcome> {
    return this.runner.isLastChance(job)
      ? this.lastChances.run(() => (run.abortReason === undefined ? this.attempt(job, run) : Promise.resolve(RELEASED)))
      : this.attempt(job, run);
  }

  private attempt(job: ClaimedJob, run: JobRun): Promise<RunOutcome> {
    this.events.tell('started', run);
    return this.runner.run(job, run);
  }

  private async untilHandlerEnds({ id, name }: ClaimedJob, handlerEnd: Promise<RunOutcome>): Promise<void> {
    const key = id.toString('hex');
    const since = performance.now();
    this.overruns.add(key);
    const late = await handlerEnd;
    this.overruns.delete(key);
    if (late.kind === 'succeeded') {
      const by = Math.round(performance.now() - since);
      this.logger.warn(`A run of job "${name}" has succeeded ${by} ms after its timeout. It does not count.`);
    }
  }

  private isCancelled({ id }: ClaimedJob): boolean {
    return this.cancelled.size > 0 && this.cancelled.has(id.toString('hex'));
  }

  /** Never rejects. */
  private settle({ job, run, startedAt }: RunningJob, outcome: RunOutcome): Promise<void> {
    const endedAt = performance.now();
    const settled = this.settler.settle(job, outcome, this.progress.take(job)).then(
      (written) => this.report(job, run, written, startedAt, endedAt),
      (error: unknown) => {
        logError(this.logger, `The outcome of job ${run.id} (${run.name}) is lost, it runs again elsewhere`, error);
      },
    );
    if (this.runner.isLastChance(job)) {
      this.lastChances.settling(settled);
    }
    return settled;
  }

  private report(
    job: ClaimedJob,
    info: JobInfo,
    { outcome, isOurs }: Settled,
    startedAt: number,
    endedAt: number,
  ): void {
    if (!isOurs) {
      this.logger.warn(`Job ${info.id} (${info.name}) was taken over by another worker; this run does not count.`);
      this.events.tell('lost', info);
      return;
    }
    this.tally?.count(job, outcome.kind, startedAt, endedAt);
    switch (outcome.kind) {
      case 'failed':
        this.onFinished(job, info.id);
        logError(this.logger, `Job ${info.id} (${info.name}) failed for good`, outcome.error);
        this.events.tell('failed', info, outcome.error);
        break;
      case 'succeeded':
      case 'cancelled':
        this.onFinished(job, info.id);
        this.events.tell(outcome.kind, info);
        break;
      case 'retried':
        this.events.tell('retried', info, outcome.error, outcome.delay);
        break;
      case 'snoozed':
        this.reportOverrun(info, outcome);
        this.events.tell('snoozed', info, outcome.delay);
        break;
      case 'unhandled':
        this.reportUnhandled(outcome.text);
        this.events.tell('unhandled', info, outcome.delay, outcome.reason);
        break;
      default:
        this.events.tell(outcome.kind, info);
    }
  }

  private reportOverrun({ id, name }: JobInfo, outcome: RunOutcome): void {
    if (outcome === OVERRUN) {
      this.logger.warn(
        `Job ${id} (${name}) is left to other processes: an attempt whose timeout is over still runs in this one. Its ` +
          'handler should end when its signal is aborted.',
      );
    }
  }

  /** Once for each name, and version: during a deployment thousands of such jobs may pass. */
  private reportUnhandled(text: string): void {
    if (!this.reported.has(text)) {
      this.reported.add(text);
      this.logger.warn(text);
    }
  }
}

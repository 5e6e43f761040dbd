import { endsWithin } from '../../async/ends-within.js';
import { JobCancelledError, LeaseLostError } from '../../errors/index.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { QueueLogger } from '../../logger.js';
import type { AttemptResult } from '../completing/outcome.js';
import { keyOf } from '../../store/base/locks/fence.js';
import type { StepRecorder } from '../durable/step-recorder.js';
import { LinkedList } from './linked-list.js';
import { type JobSlot, RunningJob, type RunningJobDependencies } from './running-job.js';

/** What a pool is given: the rest of `RunningJobDependencies` comes from the pool. */
export interface JobPoolDependencies extends Omit<
  RunningJobDependencies,
  'onProgress' | 'isCancelled' | 'onTimedOut' | 'isTimedOut' | 'onFinished'
> {
  readonly logger: QueueLogger;
  readonly recorder: StepRecorder;
}

/** The jobs that run in this process. Starts and aborts them. */
export class JobPool {
  private readonly running = new LinkedList<RunningJob>();
  private readonly dependencies: RunningJobDependencies;
  /** The ids, in hex, of jobs with a request to cancel. */
  private cancelled: ReadonlySet<string> = new Set();
  /** The ids, in hex, of jobs whose handlers still run after their timeout. No other attempt begins here meanwhile. */
  private readonly timedOut = new Set<string>();
  private whenIdle: (() => void) | undefined;

  private readonly recorder: StepRecorder;

  constructor({ logger, recorder, ...dependencies }: JobPoolDependencies) {
    this.recorder = recorder;
    this.dependencies = {
      ...dependencies,
      onProgress: (job, value) => dependencies.progress.addProgress(job, value),
      isCancelled: (job) => this.isCancelled(job),
      isTimedOut: ({ id }) => this.timedOut.size > 0 && this.timedOut.has(id.toString('hex')),
      onTimedOut: (job, handlerEnd) => this.trackTimedOut(job, handlerEnd, logger),
      onFinished: (running) => this.removeJob(running),
    };
  }

  get count(): number {
    return this.running.size;
  }

  /** The attempts that run here, or whose outcome is not stored yet, by `keyOf`. */
  attempts(): ReadonlySet<string> {
    return new Set([...this.running].map(({ job }) => keyOf(job)));
  }

  /**
   * Starts a job in a tick of its own, so that the synchronous beginning of one handler, on SQLite a whole transaction,
   * does not mix with that of the next.
   */
  startJob(job: ClaimedJob, slot: JobSlot): void {
    const running = new RunningJob(job, slot, this.dependencies);
    this.running.add(running);
    setImmediate(start, running);
  }

  /** A queue, or the worker, has no free slot: batches that wait for more jobs would wait in vain. */
  callWaitingBatches(queue?: string): void {
    const { executor } = this.dependencies;
    if (executor.hasBatches) {
      // After the jobs that were claimed last have joined them.
      setImmediate(() => executor.callWaitingBatches(queue));
    }
  }

  /** The worker claims no more jobs. */
  stopWaitingForBatches(): void {
    const { executor } = this.dependencies;
    setImmediate(() => executor.stopWaitingForBatches());
  }

  /** Aborts the handlers of those jobs that run here. Jobs of the list that are claimed later do not start. */
  cancelJobs(ids: readonly Buffer[]): void {
    this.cancelled = new Set(ids.map((id) => id.toString('hex')));
    if (this.cancelled.size > 0) {
      for (const { job, attempt } of this.running) {
        if (this.isCancelled(job)) {
          attempt.abort(new JobCancelledError());
        }
      }
    }
  }

  /** Whether there is a request to cancel one of these jobs, as far as is known. */
  hasCancelled(jobs: readonly ClaimedJob[]): boolean {
    return this.cancelled.size > 0 && jobs.some((job) => this.isCancelled(job));
  }

  /** From now on an outcome or a step that cannot be stored at once is given up. */
  giveUp(): void {
    this.dependencies.completer.giveUp();
    this.recorder.giveUp();
  }

  /**
   * The lease is lost: aborts all handlers. The fence refuses what they still write if another worker has their job.
   */
  abortAll(): void {
    for (const { attempt } of this.running) {
      attempt.abort(new LeaseLostError());
    }
  }

  /** @returns whether all jobs have ended within the time. */
  async waitUntilIdle(milliseconds: number): Promise<boolean> {
    if (this.running.size === 0) {
      return true;
    }
    return endsWithin(new Promise<void>((resolve) => (this.whenIdle = resolve)), milliseconds);
  }

  /**
   * Returns the jobs whose outcome is unknown to the queue and aborts their handlers. Known outcomes may still have to
   * be stored: such a job must not return, or it would run again.
   *
   * @returns when all outcomes are stored, or given up.
   */
  async returnAll(): Promise<void> {
    const all = [...this.running];
    all.forEach((running) => running.returnToQueue());
    await Promise.all(all.map((running) => running.whenCompleted()));
  }

  /** Stores the logs of attempts that have ended without their handlers. Later lines are dropped. */
  closeLogs(): Promise<void> {
    return this.dependencies.logs.close();
  }

  private removeJob(running: RunningJob): void {
    this.running.remove(running);
    if (this.running.size === 0) {
      this.whenIdle?.();
    }
  }

  private async trackTimedOut(
    { id, name }: ClaimedJob,
    handlerEnd: Promise<AttemptResult>,
    logger: QueueLogger,
  ): Promise<void> {
    const key = id.toString('hex');
    const since = performance.now();
    this.timedOut.add(key);
    const late = await handlerEnd;
    this.timedOut.delete(key);
    if (late.kind === 'succeeded') {
      const by = Math.round(performance.now() - since);
      logger.warn(
        `An attempt of job "${name}" succeeded ${by} ms after its timeout, so it counts as failed. ` +
          'Raise the timeout, or end the handler when its signal is aborted.',
      );
    }
  }

  private isCancelled({ id }: ClaimedJob): boolean {
    return this.cancelled.size > 0 && this.cancelled.has(id.toString('hex'));
  }
}

const start = (running: RunningJob): void => running.start();

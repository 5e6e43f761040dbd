import { JobCancelledError, LeaseLostError } from '../../errors/index.js';
import type { QueueLogger } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import type { ClaimMutex } from './claim-mutex.js';
import type { JobExecutor } from './job-executor.js';
import { PoisonIsolation } from './poison-isolation.js';
import { LinkedList } from './linked-list.js';
import { OutcomeEvents } from './outcome-events.js';
import { TimedOutAttempts } from './timed-out-attempts.js';
import type { ProgressWriter } from './progress-writer.js';
import { type Progress, RunningJob, type RunningJobDependencies } from './running-job.js';
import type { JobCompleter } from '../completing/job-completer.js';
import type { ThroughputTally } from '../completing/throughput-tally.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';

/** The jobs that run in this process: starts them, breaks them off. */
export class JobPool {
  private readonly running = new LinkedList<RunningJob>();
  private readonly parts: RunningJobDependencies;
  /** The ids of jobs that are to end, in hex. */
  private cancelled: ReadonlySet<string> = new Set();
  private whenIdle: (() => void) | undefined;

  constructor(
    runner: JobExecutor,
    settler: JobCompleter,
    progress: ProgressWriter,
    onFinished: (job: ClaimedJob, id: string) => void,
    events: WorkerEventEmitter,
    logger: QueueLogger,
    gate: ClaimMutex,
    tally: ThroughputTally | undefined,
  ) {
    this.parts = {
      runner,
      settler,
      progress,
      lastChances: new PoisonIsolation(gate),
      overruns: new TimedOutAttempts(logger),
      reports: new OutcomeEvents(onFinished, events, logger),
      events,
      tally,
      tell: (job, value) => progress.tell(job, value),
      isCancelled: (job) => this.isCancelled(job),
      onOver: (running) => this.leave(running),
    };
  }

  get count(): number {
    return this.running.size;
  }

  /**
   * Starts a job in a tick of its own, so that the first synchronous part of one handler, on SQLite a whole
   * transaction, is not entangled with the next one's.
   */
  start(job: ClaimedJob, slot: Progress): void {
    const running = new RunningJob(job, slot, this.parts);
    this.running.add(running);
    setImmediate(begin, running);
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
    const all = [...this.running];
    all.forEach((running) => running.handBack());
    await Promise.all(all.map((running) => running.whenSettled()));
  }

  private leave(running: RunningJob): void {
    this.running.remove(running);
    if (this.running.size === 0) {
      this.whenIdle?.();
    }
  }

  private isCancelled({ id }: ClaimedJob): boolean {
    return this.cancelled.size > 0 && this.cancelled.has(id.toString('hex'));
  }
}

const begin = (running: RunningJob): void => running.begin();

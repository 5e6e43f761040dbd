import type { JobSnapshot } from '@tablequeue/typeorm';
import type { DrainedOutcome } from '@tablequeue/typeorm/testing';

import { UniqueKeys } from './unique-keys.js';

/** The unit of the model's time, in ms: much longer than a run takes, so what passes of the real time never counts. */
export const UNIT = 20_000;
/** How many units a worker's lease lasts: that of a drain. */
const LEASE = 3;
/** How many attempts may fail, and how often in a row a worker may vanish, before a job has failed. */
export const ATTEMPTS = 3;
export const CRASHES = 2;
/** How long a job waits for its retry, and where its handler has put it off, in units. */
export const BACKOFF = 2;
export const SNOOZE = 1;

export type State = JobSnapshot['state'];
type Ended = 'succeeded' | 'failed' | 'cancelled';

/** A job as docs/job-states.md says it should be. */
export interface ModelJob {
  readonly id: string;
  payload: number;
  priority: number;
  key: string | undefined;
  state: State;
  attempt: number;
  failures: number;
  crashes: number;
  /** When it was, or will be, due, in units. */
  due: number;
  /** The same in ms, as it was read last: by this those of one priority stand in line. */
  runAt: number;
  /** The attempts that have left an error. */
  readonly errors: number[];
  finishedAt: number | undefined;
  owner: ModelWorker | undefined;
}

/** What a handler does in the end. */
export type End = 'succeed' | 'fail' | 'fail for good' | 'snooze';

/** A worker that runs one job at a time, by the model. */
export interface ModelWorker {
  readonly leaseUntil: number;
  /** Whether others see it: not any more when its lease was found to be over. */
  isKnown: boolean;
  hasRun: boolean;
  held: { readonly job: ModelJob; readonly attempt: number } | undefined;
  /** What has come of its runs. */
  readonly outcomes: { readonly id: string; readonly outcome: DrainedOutcome }[];
}

/** All jobs of a queue, and what may happen to them. */
export class Model {
  now = 0;
  isPaused = false;
  readonly jobs: ModelJob[] = [];
  /** Running jobs that somebody wants to end. */
  readonly requests = new Set<ModelJob>();
  readonly workers: (ModelWorker | undefined)[] = [undefined, undefined];
  readonly keys = new UniqueKeys(() => this.now);

  isLive(job: ModelJob): boolean {
    return job.finishedAt === undefined;
  }

  add(id: string, { payload, priority, key }: Pick<ModelJob, 'payload' | 'priority' | 'key'>, delay: number): void {
    this.jobs.push({
      payload,
      priority,
      key,
      id,
      state: delay > 0 ? 'scheduled' : 'ready',
      attempt: 0,
      failures: 0,
      crashes: 0,
      due: this.now + delay,
      runAt: 0,
      errors: [],
      finishedAt: undefined,
      owner: undefined,
    });
  }

  /** What a cancellation does, without doing it. */
  cancellationOf(job: ModelJob): 'cancelled' | 'requested' | undefined {
    return !this.isLive(job) ? undefined : job.state === 'running' ? 'requested' : 'cancelled';
  }

  cancel(job: ModelJob): void {
    if (this.cancellationOf(job) === 'requested') {
      this.requests.add(job);
    } else if (this.isLive(job)) {
      this.end(job, 'cancelled');
    }
  }

  canRetry({ state }: ModelJob): boolean {
    return state === 'failed' || state === 'cancelled';
  }

  retry(job: ModelJob): void {
    this.requests.delete(job);
    Object.assign(job, { state: 'ready', failures: 0, crashes: 0, due: this.now, finishedAt: undefined });
  }

  /** @returns how many are gone. */
  prune(age: number): number {
    const old = this.jobs.filter(({ finishedAt }) => finishedAt !== undefined && finishedAt < this.now - age);
    old.forEach((job) => this.jobs.splice(this.jobs.indexOf(job), 1));
    return old.length;
  }

  /** Frees the jobs of workers that have vanished, and carries out what was asked of jobs that do not run any more. */
  reap(): { readonly freed: number; readonly workers: number; readonly cancelled: number } {
    const abandoned = this.jobs.filter(({ state, owner }) => state === 'running' && !(owner && this.hasLease(owner)));
    abandoned.forEach((job) => Object.assign(job, { state: 'ready', crashes: job.crashes + 1, owner: undefined }));
    const gone = this.workers.filter((worker) => worker?.isKnown && !this.hasLease(worker)) as ModelWorker[];
    gone.forEach((worker) => (worker.isKnown = false));
    const waiting = [...this.requests].filter((job) => this.isLive(job) && job.state !== 'running');
    waiting.forEach((job) => this.end(job, 'cancelled'));
    [...this.requests].filter((job) => !this.isLive(job)).forEach((job) => this.requests.delete(job));
    return { freed: abandoned.length, workers: gone.length, cancelled: waiting.length };
  }

  /** Begins to work: what is due becomes ready, then it goes on as `goOn` says. */
  begin(): { readonly worker: ModelWorker; readonly next: ModelJob | undefined } {
    const worker: ModelWorker = {
      leaseUntil: this.now + LEASE,
      isKnown: true,
      hasRun: false,
      held: undefined,
      outcomes: [],
    };
    this.makeReady();
    return { worker, next: this.goOn(worker) };
  }

  /** Whether nobody has taken over the job that a worker holds. */
  isOwn(worker: ModelWorker): boolean {
    const { job, attempt } = worker.held!;
    return job.owner === worker && job.attempt === attempt;
  }

  /**
   * Ends the run of the job that a worker holds.
   *
   * @param isTold whether the handler had been told that its job is cancelled when it threw.
   * @returns the next job of that worker; undefined when it is over.
   */
  finish(worker: ModelWorker, end: End, isTold: boolean): ModelJob | undefined {
    const { job } = worker.held!;
    const isOwn = this.isOwn(worker);
    worker.held = undefined;
    const outcome = isOwn ? this.settle(job, isTold && end !== 'succeed' ? 'cancelled' : end) : 'lost';
    worker.outcomes.push({ id: job.id, outcome });
    return this.goOn(worker);
  }

  /** Claims until a handler runs, or nothing is left that could. */
  private goOn(worker: ModelWorker): ModelJob | undefined {
    for (;;) {
      const job = this.claim(worker);
      if (!job) {
        if (!worker.hasRun) {
          worker.isKnown = false;
          return undefined;
        }
        worker.hasRun = false;
        this.makeReady();
      } else if (this.requests.has(job)) {
        worker.outcomes.push({ id: job.id, outcome: this.settle(job, 'cancelled') });
      } else if (job.crashes >= CRASHES) {
        worker.outcomes.push({ id: job.id, outcome: this.settle(job, 'fail for good') });
      } else {
        worker.held = { job, attempt: job.attempt };
        return job;
      }
    }
  }

  private claim(worker: ModelWorker): ModelJob | undefined {
    const ready = this.jobs.filter(({ state }) => state === 'ready');
    const [job] = ready.sort((a, b) => a.priority - b.priority || a.runAt - b.runAt || (a.id < b.id ? -1 : 1));
    if (!job || this.isPaused) {
      return undefined;
    }
    Object.assign(job, { state: 'running', owner: worker, attempt: job.attempt + 1 });
    this.keys.began(job.id);
    worker.hasRun = true;
    return job;
  }

  private settle(job: ModelJob, end: End | 'cancelled'): DrainedOutcome {
    switch (end) {
      case 'succeed':
        return this.end(job, 'succeeded');
      case 'cancelled':
        return this.end(job, 'cancelled');
      case 'snooze':
        Object.assign(job, { state: 'scheduled', owner: undefined, crashes: 0, due: this.now + SNOOZE });
        return 'snoozed';
      default:
        job.failures++;
        job.errors.push(job.attempt);
        if (end === 'fail for good' || job.failures >= ATTEMPTS) {
          return this.end(job, 'failed');
        }
        Object.assign(job, { state: 'scheduled', owner: undefined, crashes: 0, due: this.now + BACKOFF });
        return 'retried';
    }
  }

  private end(job: ModelJob, state: Ended): Ended {
    Object.assign(job, { state, owner: undefined, finishedAt: this.now });
    this.keys.ended(job.id);
    return state;
  }

  private makeReady(): void {
    this.reap();
    const due = this.jobs.filter((job) => job.state === 'scheduled' && job.due <= this.now);
    due.forEach((job) => (job.state = 'ready'));
  }

  private hasLease({ isKnown, leaseUntil }: ModelWorker): boolean {
    return isKnown && leaseUntil > this.now;
  }
}

import type { DrainedOutcome } from '@tablequeue/typeorm/testing';

import type { FinalState } from './final-state.js';
import { Groups } from './groups.js';
import { Limits } from './limits.js';
import {
  ATTEMPTS,
  BACKOFF,
  CRASHES,
  type End,
  LEASE,
  type ModelJob,
  type ModelWorker,
  SNOOZE,
  type Wanted,
} from './model-job.js';
import { nextInRoundRobin } from './round-robin.js';
import { UniqueKeys } from './unique-keys.js';

/** All jobs of a queue, and what may happen to them. */
export class Model {
  now = 0;
  isPaused = false;
  readonly jobs: ModelJob[] = [];
  /** Running jobs with a request to cancel. */
  readonly requests = new Set<ModelJob>();
  readonly workers: (ModelWorker | undefined)[] = [undefined, undefined];
  readonly keys = new UniqueKeys(() => this.now);
  readonly limits = new Limits(this);
  readonly groups = new Groups(this);
  private lastNumber = 1_000;

  /** @param triggersAtOnce whether the end of a member triggers callbacks; otherwise the reaper does. */
  constructor(readonly triggersAtOnce: boolean) {}

  isLive(job: ModelJob): boolean {
    return job.finishedAt === undefined;
  }

  /** @param waits whether it waits for a group. */
  add(id: string, { payload, priority, key, tenant, delay }: Wanted, waits = false): ModelJob {
    const job: ModelJob = {
      payload,
      priority,
      key,
      tenant,
      lane: 0,
      group: undefined,
      id,
      state: waits ? 'waiting' : delay > 0 ? 'scheduled' : 'ready',
      attempt: 0,
      failures: 0,
      crashes: 0,
      due: this.now + delay,
      runAt: 0,
      errors: [],
      finishedAt: undefined,
      owner: undefined,
    };
    this.jobs.push(job);
    return job;
  }

  /** A payload that no other job has. */
  nextNumber(): number {
    return ++this.lastNumber;
  }

  job(id: string): ModelJob | undefined {
    return this.jobs.find((job) => job.id === id);
  }

  /** The effect that a cancellation would have. */
  cancellationOf(job: ModelJob): 'cancelled' | 'requested' | undefined {
    return !this.isLive(job) ? undefined : job.state === 'running' ? 'requested' : 'cancelled';
  }

  cancel(jobs: readonly ModelJob[]): void {
    for (const job of jobs) {
      const done = this.cancellationOf(job);
      if (done === 'requested') {
        this.requests.add(job);
      } else if (done === 'cancelled') {
        this.end(job, 'cancelled');
      }
    }
    this.triggerIfAtOnce();
  }

  canRetry({ state }: ModelJob): boolean {
    return state === 'failed' || state === 'cancelled';
  }

  retry(job: ModelJob): void {
    this.requests.delete(job);
    job.group = undefined;
    this.keys.onRetried(job.id);
    Object.assign(job, { state: 'ready', failures: 0, crashes: 0, due: this.now, finishedAt: undefined });
  }

  /** @returns how many jobs are deleted. */
  prune(age: number): number {
    this.groups.prune(age);
    const old = this.jobs.filter(({ finishedAt }) => finishedAt !== undefined && finishedAt < this.now - age);
    old.forEach((job) => this.jobs.splice(this.jobs.indexOf(job), 1));
    return old.length;
  }

  /** Returns the jobs of dead workers, and cancels jobs with a request that do not run any more. */
  reap(): Record<'returned' | 'workers' | 'cancelled' | 'expired' | 'triggered', number> {
    const abandoned = this.jobs.filter(({ state, owner }) => state === 'running' && !(owner && this.hasLease(owner)));
    abandoned.forEach((job) => Object.assign(job, { state: 'ready', crashes: job.crashes + 1, owner: undefined }));
    const gone = this.workers.filter((worker) => worker?.isKnown && !this.hasLease(worker)) as ModelWorker[];
    gone.forEach((worker) => (worker.isKnown = false));
    const waiting = [...this.requests].filter((job) => this.isLive(job) && job.state !== 'running');
    waiting.forEach((job) => this.end(job, 'cancelled'));
    [...this.requests].filter((job) => !this.isLive(job)).forEach((job) => this.requests.delete(job));
    const triggered = this.groups.triggerCallbacks();
    return { returned: abandoned.length, workers: gone.length, cancelled: waiting.length, expired: 0, triggered };
  }

  /** A new worker: due jobs become ready, then it claims the first one. */
  begin(): { readonly worker: ModelWorker; readonly next: ModelJob | undefined } {
    const worker: ModelWorker = {
      leaseUntil: this.now + LEASE,
      isKnown: true,
      hasRun: false,
      lastLane: 0,
      held: undefined,
      outcomes: [],
    };
    this.makeReady();
    return { worker, next: this.claimNext(worker) };
  }

  /** Whether the worker still owns the job that it holds. */
  isOwn(worker: ModelWorker): boolean {
    const { job, attempt } = worker.held!;
    return job.owner === worker && job.attempt === attempt;
  }

  /**
   * Ends the run of the job that a worker holds.
   *
   * @param isAborted whether the signal of the job was aborted when its handler threw.
   * @returns the next job of that worker; undefined when it has ended.
   */
  finish(worker: ModelWorker, end: End, isAborted: boolean): ModelJob | undefined {
    const { job } = worker.held!;
    const isOwn = this.isOwn(worker);
    worker.held = undefined;
    const outcome = isOwn ? this.complete(job, isAborted && end !== 'succeed' ? 'cancelled' : end) : 'lost';
    worker.outcomes.push({ id: job.id, outcome });
    return this.claimNext(worker);
  }

  /** Claims until a handler runs, or no job can be claimed. */
  private claimNext(worker: ModelWorker): ModelJob | undefined {
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
        worker.outcomes.push({ id: job.id, outcome: this.complete(job, 'cancelled') });
      } else if (job.crashes >= CRASHES) {
        worker.outcomes.push({ id: job.id, outcome: this.complete(job, 'fail for good') });
      } else {
        worker.held = { job, attempt: job.attempt };
        return job;
      }
    }
  }

  private claim(worker: ModelWorker): ModelJob | undefined {
    const job =
      this.isPaused || !this.limits.hasCapacity() ? undefined : nextInRoundRobin(this.jobs, worker, this.limits);
    if (!job) {
      return undefined;
    }
    Object.assign(job, { state: 'running', owner: worker, attempt: job.attempt + 1 });
    this.limits.countStart(job.tenant);
    this.keys.onClaimed(job.id);
    worker.hasRun = true;
    return job;
  }

  private complete(job: ModelJob, end: End | 'cancelled'): DrainedOutcome {
    switch (end) {
      case 'succeed':
        return this.endRun(job, 'succeeded');
      case 'cancelled':
        return this.endRun(job, 'cancelled');
      case 'snooze':
        Object.assign(job, { state: 'scheduled', owner: undefined, crashes: 0, due: this.now + SNOOZE });
        return 'snoozed';
      default:
        job.failures++;
        job.errors.push(job.attempt);
        if (end === 'fail for good' || job.failures >= ATTEMPTS) {
          return this.endRun(job, 'failed');
        }
        Object.assign(job, { state: 'scheduled', owner: undefined, crashes: 0, due: this.now + BACKOFF });
        return 'retried';
    }
  }

  private endRun(job: ModelJob, state: FinalState): FinalState {
    this.end(job, state);
    this.triggerIfAtOnce();
    return state;
  }

  /** Callbacks of its group are triggered separately. */
  end(job: ModelJob, state: FinalState): void {
    Object.assign(job, { state, owner: undefined, finishedAt: this.now });
    this.keys.onEnded(job.id);
    job.group?.members.set(job.id, state);
  }

  private triggerIfAtOnce(): void {
    if (this.triggersAtOnce) {
      this.groups.triggerCallbacks();
    }
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

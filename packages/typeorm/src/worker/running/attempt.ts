import type { EntityManager } from 'typeorm';

import { uuidFromBytes } from '../../definition/job-id.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { AttemptResult } from '../completing/outcome.js';
import type { JobContext, JobInfo } from '../handlers/job-handler.js';

/** A claimed job as handlers and events see it. */
export class ClaimedJobInfo implements JobInfo {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
  readonly attempt: number;
  readonly failures: number;

  constructor(job: Pick<ClaimedJob, 'id' | 'name' | 'queue' | 'key' | 'tenant' | 'attempt' | 'failures'>) {
    this.id = uuidFromBytes(job.id);
    this.name = job.name;
    this.queue = job.queue;
    this.key = job.key ?? undefined;
    this.tenant = job.tenant ?? undefined;
    this.attempt = job.attempt;
    this.failures = job.failures;
  }
}

/** One attempt of a job, as its handler and the events see it. */
export class Attempt extends ClaimedJobInfo implements JobContext {
  /** The manager of a transactional handler's transaction. */
  manager: EntityManager | undefined;
  readonly #job: ClaimedJob;
  readonly #onProgress: (job: ClaimedJob, progress: unknown) => void;
  #controller: AbortController | undefined;
  #handlerEnd: Promise<AttemptResult> | undefined;
  #batchCall: Promise<void> | undefined;
  #onAbort: ((reason: unknown) => void) | undefined;

  constructor(job: ClaimedJob, onProgress: (job: ClaimedJob, progress: unknown) => void) {
    super(job);
    this.#job = job;
    this.#onProgress = onProgress;
  }

  get createdAt(): Date {
    return new Date(this.#job.createdAt);
  }

  get runAt(): Date {
    return new Date(this.#job.runAt);
  }

  /** A function of its own, so that a handler may destructure its context. */
  get progress(): (value: unknown) => void {
    return (value) => this.#onProgress(this.#job, value);
  }

  /** Made on first use: most handlers never use it, and it is the most expensive part of an attempt. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Resolves when a handler that timed out has ended; undefined where the attempt has not timed out. */
  get handlerEnd(): Promise<AttemptResult> | undefined {
    return this.#handlerEnd;
  }

  /** Resolves when the batch handler's call that has this job has ended; undefined without one. */
  get batchCall(): Promise<void> | undefined {
    return this.#batchCall;
  }

  /** Why the attempt was aborted; undefined where it was not. */
  get abortReason(): unknown {
    return this.#controller?.signal.reason;
  }

  /** The timeout is over and the handler still runs. */
  timeOut(reason: Error, handlerEnd: Promise<AttemptResult>): void {
    this.#handlerEnd = handlerEnd;
    this.abort(reason);
  }

  /** Calls one listener when the attempt is aborted, or now if it was. Cheaper than `signal`. */
  onAbort(listener: (reason: unknown) => void): void {
    this.#onAbort = listener;
    if (this.abortReason !== undefined) {
      listener(this.abortReason);
    }
  }

  /** A batch handler's call has the job. @param end resolves when it has ended. */
  joinBatchCall(end: Promise<void>): void {
    this.#batchCall = end;
  }

  abort(reason: Error): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
    this.#onAbort?.(reason);
  }
}

import type { EntityManager } from 'typeorm';

import { uuidFromBytes } from '../../definition/job-id.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import type { JobContext } from '../handlers/job-handler.js';
import type { AttemptResult } from '../completing/outcome.js';

/** One run of a job, as its handler and the events see it. */
export class Attempt implements JobContext {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
  readonly attempt: number;
  readonly failures: number;
  /** Of a transactional handler's transaction. */
  manager: EntityManager | undefined;
  readonly #job: ClaimedJob;
  readonly #tell: (job: ClaimedJob, progress: unknown) => void;
  #controller: AbortController | undefined;
  #overrun: Promise<AttemptResult> | undefined;
  #call: Promise<void> | undefined;
  #onAbort: ((reason: unknown) => void) | undefined;

  constructor(job: ClaimedJob, tell: (job: ClaimedJob, progress: unknown) => void) {
    this.id = uuidFromBytes(job.id);
    this.name = job.name;
    this.queue = job.queue;
    this.key = job.key ?? undefined;
    this.tenant = job.tenant ?? undefined;
    this.attempt = job.attempt;
    this.failures = job.failures;
    this.#job = job;
    this.#tell = tell;
  }

  get createdAt(): Date {
    return new Date(this.#job.createdAt);
  }

  get runAt(): Date {
    return new Date(this.#job.runAt);
  }

  /** A function of its own, so that a handler may take it out of its context. */
  get progress(): (value: unknown) => void {
    return (value) => this.#tell(this.#job, value);
  }

  /** Made when it is asked for: most handlers never do, and it is the dearest part of a run. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Resolves when the handler ends that still runs although its timeout is over; undefined where none does. */
  get overrun(): Promise<AttemptResult> | undefined {
    return this.#overrun;
  }

  /** Resolves when the call of a batch handler ends that has this job among others; undefined where there is none. */
  get call(): Promise<void> | undefined {
    return this.#call;
  }

  /** Why the run was aborted; undefined where it was not. */
  get abortReason(): unknown {
    return this.#controller?.signal.reason;
  }

  /** The timeout is over, and the handler runs on. */
  timeOut(reason: Error, handlerEnd: Promise<AttemptResult>): void {
    this.#overrun = handlerEnd;
    this.abort(reason);
  }

  /** Calls this when the run is aborted, or at once where it was. For one listener, and without the price of a signal. */
  onAbort(listener: (reason: unknown) => void): void {
    this.#onAbort = listener;
    if (this.abortReason !== undefined) {
      listener(this.abortReason);
    }
  }

  /** A batch handler has the job. */
  joinCall(end: Promise<void>): void {
    this.#call = end;
  }

  abort(reason: Error): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
    this.#onAbort?.(reason);
  }
}

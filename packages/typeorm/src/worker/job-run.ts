import { uuidFromBytes } from '../definition/job-id.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import type { JobContext } from './job-handler.js';

/** One run of a job, as its handler and the events see it. */
export class JobRun implements JobContext {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly attempt: number;
  readonly failures: number;
  readonly #job: ClaimedJob;
  readonly #tell: (job: ClaimedJob, progress: unknown) => void;
  #controller: AbortController | undefined;

  constructor(job: ClaimedJob, tell: (job: ClaimedJob, progress: unknown) => void) {
    this.id = uuidFromBytes(job.id);
    this.name = job.name;
    this.queue = job.queue;
    this.key = job.key ?? undefined;
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

  /** Why the run was aborted; undefined where it was not. */
  get abortReason(): unknown {
    return this.#controller?.signal.reason;
  }

  abort(reason: Error): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}

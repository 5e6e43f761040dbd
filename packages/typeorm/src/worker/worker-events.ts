import { EventEmitter } from 'node:events';

import { type QueueLogger, logError } from '../logger.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import { uuidFromBytes } from '../store/job-id.js';

/** A job as events describe it. */
export interface JobInfo {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly attempt: number;
  readonly failures: number;
}

/** What a worker tells about the jobs it runs. All but `started` come after the outcome was committed. */
export interface WorkerEvents {
  started: [job: JobInfo];
  succeeded: [job: JobInfo];
  /** No attempt is left. */
  failed: [job: JobInfo, error: Error];
  /** Tried again after `delay` ms. */
  retried: [job: JobInfo, error: Error, delay: number];
  /** There is no handler for it in this process. It is left for another one; this one looks again after `delay` ms. */
  unhandled: [job: JobInfo, delay: number];
  /** Broken off and handed back. */
  released: [job: JobInfo];
  /** Another worker had taken it over: what this one did about it was not written down. */
  lost: [job: JobInfo];
}

/** Emits events such that an error in a listener never touches a job. */
export class WorkerEventEmitter extends EventEmitter<WorkerEvents> {
  constructor(private readonly logger: QueueLogger) {
    super();
  }

  /** Tells the listeners. */
  tell<Name extends keyof WorkerEvents>(name: Name, ...args: WorkerEvents[Name]): void {
    try {
      (this as EventEmitter).emit(name, ...args);
    } catch (error) {
      logError(this.logger, `A listener of "${name}" failed`, error);
    }
  }
}

/** A claimed job as events describe it. */
export function jobInfo({ id, name, queue, key, attempt, failures }: ClaimedJob): JobInfo {
  return { id: uuidFromBytes(id), name, queue, key: key ?? undefined, attempt, failures };
}

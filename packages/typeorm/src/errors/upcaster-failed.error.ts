import { TableQueueError } from './table-queue.error.js';

/**
 * The error of a job whose upcaster has thrown; `cause` is that error. It is not retried, because the next attempt
 * would fail the same way. The stored payload is unchanged.
 */
export class UpcasterFailedError extends TableQueueError {
  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The version that the upcaster converts. */
    readonly version: number,
    options: ErrorOptions,
  ) {
    super(`The upcaster of job "${jobName}" from version ${version} to ${version + 1} failed.`, options);
  }
}

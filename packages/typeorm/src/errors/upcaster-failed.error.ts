import { TableQueueError } from './table-queue.error.js';

/**
 * The error of a job whose payload is of an older version and could not be made one of the present version; `cause` is
 * what its upcaster threw. The next attempt would meet the same, so there is none. The payload stays as it was stored.
 */
export class UpcasterFailedError extends TableQueueError {
  constructor(
    readonly jobName: string,
    /** The version the upcaster reads. */
    readonly version: number,
    options: ErrorOptions,
  ) {
    super(`The upcaster of job "${jobName}" from version ${version} to ${version + 1} failed.`, options);
  }
}

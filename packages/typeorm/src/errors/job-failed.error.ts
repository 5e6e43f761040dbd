import { TableQueueError } from './table-queue.error.js';

/** A job that was waited for has failed for good. */
export class JobFailedError extends TableQueueError {
  constructor(
    /** The id of the job. */
    readonly id: string,
    /** What it failed with, as it is stored with the job: a stack and its causes. */
    readonly reason: string | undefined,
  ) {
    super(`Job ${id} has failed: ${reason ?? 'it left no error.'}`);
  }
}

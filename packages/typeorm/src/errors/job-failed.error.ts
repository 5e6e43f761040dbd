import { TableQueueError } from './table-queue.error.js';

/** A job that `waitFor` waited for has failed and is not retried. */
export class JobFailedError extends TableQueueError {
  constructor(
    /** The id of the job. */
    readonly id: string,
    /** The stored error of the job, with its stack and causes. */
    readonly reason: string | undefined,
  ) {
    super(`Job ${id} has failed: ${reason ?? 'it left no error.'}`);
  }
}

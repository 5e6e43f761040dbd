import { TableQueueError } from './table-queue.error.js';

const UNSEEN =
  ' It was not found: it does not exist, its transaction has not committed, or it finished before and was not kept.';

/** A job that `waitFor` waited for has not finished in time. The job itself goes on. */
export class WaitTimeoutError extends TableQueueError {
  constructor(
    /** The id of the job. */
    readonly id: string,
    /** How long the call has waited, in ms. */
    readonly timeout: number,
    /** Whether a poll has found the job. */
    readonly wasSeen: boolean,
    /** The last error of the database, if polls failed. */
    cause?: unknown,
  ) {
    super(`Job ${id} has not finished within ${timeout} ms.${wasSeen ? '' : UNSEEN}`, { cause });
  }
}

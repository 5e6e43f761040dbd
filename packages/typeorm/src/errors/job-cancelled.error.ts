import { TableQueueError } from './table-queue.error.js';

/** The reason of a job's `AbortSignal` after it was cancelled, and the error of `waitFor` for a cancelled job. */
export class JobCancelledError extends TableQueueError {
  constructor(message = 'The job was cancelled while it ran.') {
    super(message);
  }
}

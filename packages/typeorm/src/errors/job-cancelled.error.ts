import { TableQueueError } from './table-queue.error.js';

/** The reason of a job's `AbortSignal` when somebody has cancelled it while it ran; what `waitFor` throws for it. */
export class JobCancelledError extends TableQueueError {
  constructor(message = 'The job was cancelled while it ran.') {
    super(message);
  }
}

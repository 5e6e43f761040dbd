import { TableQueueError } from './table-queue.error.js';

/** The reason of a job's `AbortSignal` when somebody has cancelled it while it ran. */
export class JobCancelledError extends TableQueueError {
  constructor() {
    super('The job was cancelled while it ran.');
  }
}

import { TableQueueError } from './table-queue.error.js';

/** The reason of a job's `AbortSignal` when its worker could not renew its lease. Another worker runs the job again. */
export class LeaseLostError extends TableQueueError {
  constructor() {
    super("The worker's lease ended before it could be renewed. Another worker will take the job over.");
  }
}

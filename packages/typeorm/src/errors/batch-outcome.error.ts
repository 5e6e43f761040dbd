import { TableQueueError } from './table-queue.error.js';

/** A batch handler has set the outcome of a job twice, or after it returned. The first outcome counts. */
export class BatchOutcomeError extends TableQueueError {
  constructor(
    /** The id of the job. */
    readonly id: string,
    /** The first outcome of the job. */
    readonly outcome: 'succeeded' | 'failed',
  ) {
    super(
      `Job ${id} has already ${outcome}: the batch handler has set its outcome before, or has returned. ` +
        'Set the outcome of each job once, and before the handler returns.',
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/** A batch handler has said what became of a job that had an outcome already. The first one stays. */
export class BatchOutcomeError extends TableQueueError {
  constructor(
    /** The id of the job. */
    readonly id: string,
    /** What has become of it before. */
    readonly outcome: 'succeeded' | 'failed',
  ) {
    super(
      `Job ${id} has ${outcome} already: the batch handler has said so before, or has come to its end. ` +
        'Say what becomes of a job once, and before the handler returns.',
    );
  }
}

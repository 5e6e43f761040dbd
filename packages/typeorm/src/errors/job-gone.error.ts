import { TableQueueError } from './table-queue.error.js';

/**
 * A job that `waitFor` waited for has finished and was not kept: it succeeded with `keep: 'none'`, or it was deleted
 * from the history.
 */
export class JobGoneError extends TableQueueError {
  constructor(
    /** The id of the job. */
    readonly id: string,
  ) {
    super(
      `Job ${id} has finished, but its outcome was not kept: it succeeded and its definition has keep: 'none', or it ` +
        'was deleted from the history.',
    );
  }
}

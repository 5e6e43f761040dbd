import { TableQueueError } from './table-queue.error.js';

/**
 * A job that was waited for is gone, from the live jobs and from the history. It was there before, so it has ended: it
 * has succeeded and nothing of it is kept (`keep: 'none'`), or it was deleted from the history at once.
 */
export class JobGoneError extends TableQueueError {
  constructor(
    /** The id of the job. */
    readonly id: string,
  ) {
    super(
      `Job ${id} has ended, and nothing is known of its outcome: it has succeeded and is of a definition with ` +
        "keep: 'none', or it was deleted from the history since.",
    );
  }
}

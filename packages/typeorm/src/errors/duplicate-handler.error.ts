import { TableQueueError } from './table-queue.error.js';

/** Two handlers were given for one job. */
export class DuplicateHandlerError extends TableQueueError {
  constructor(
    readonly jobName: string,
    /** Where the two handlers stand. */
    readonly places: readonly [string, string],
  ) {
    super(
      `The job "${jobName}" has two handlers: ${places[0]} and ${places[1]}. ` +
        'A job is handled in one place: remove one, or give it a job definition of its own.',
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/** Two handlers were registered for one job definition. */
export class DuplicateHandlerError extends TableQueueError {
  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The locations of the two handlers. */
    readonly locations: readonly [string, string],
  ) {
    super(
      `The job "${jobName}" has two handlers: ${locations[0]} and ${locations[1]}. ` +
        'A job has one handler: remove one, or give it a job definition of its own.',
    );
  }
}

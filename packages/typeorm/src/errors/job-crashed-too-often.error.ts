import { TableQueueError } from './table-queue.error.js';

/** The error of a job that is not run any more because its process died while it ran, too often in a row. */
export class JobCrashedTooOftenError extends TableQueueError {
  constructor(
    /** How often in a row. */
    readonly crashes: number,
  ) {
    super(
      `The process died, or lost its lease, ${crashes} times in a row while the job ran. It is not run again: see ` +
        '"crashes" in its retry policy.',
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/** The error of a job whose process crashed, or lost its lease, too many times in a row while the job ran. */
export class JobCrashedTooOftenError extends TableQueueError {
  constructor(
    /** The number of crashes in a row. */
    readonly crashes: number,
  ) {
    super(
      `The process crashed, or lost its lease, ${crashes} times in a row while the job ran. ` +
        'The job does not run again. ' +
        'If crashes are expected, raise "retry.crashes" of its definition.',
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/** The job was not stored: another job of its definition has its unique key, and `onConflict` is `'throw'`. */
export class DuplicateJobError extends TableQueueError {
  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The unique key. */
    readonly key: string,
    /** The id of the other job. */
    readonly id: string,
  ) {
    super(`A job "${jobName}" with the unique key "${key}" already exists: ${id}.`);
  }
}

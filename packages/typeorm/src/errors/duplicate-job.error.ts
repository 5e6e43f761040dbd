import { TableQueueError } from './table-queue.error.js';

/** A job was not stored: another one of its kind has its unique key, and `onConflict` is `'throw'`. */
export class DuplicateJobError extends TableQueueError {
  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The unique key. */
    readonly key: string,
    /** The id of the job that has it. */
    readonly id: string,
  ) {
    super(`A job "${jobName}" with the unique key "${key}" exists already: ${id}.`);
  }
}

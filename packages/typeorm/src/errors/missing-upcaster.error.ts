import { TableQueueError } from './table-queue.error.js';

/**
 * The error of a job whose payload is older than any its definition can read. It is not tried again, and keeps its
 * payload and its version in the history: with the upcaster in place it can be run again.
 */
export class MissingUpcasterError extends TableQueueError {
  constructor(
    readonly jobName: string,
    /** The version of the payload: the upcaster that reads it is missing. */
    readonly version: number,
    /** The version of the definition. */
    readonly currentVersion: number,
  ) {
    super(
      `The payload of job "${jobName}" has version ${version}, and its definition, of version ${currentVersion}, has no ` +
        `upcaster from ${version} to ${version + 1}. Add it, and run the job again with "queue.failed.retry".`,
    );
  }
}

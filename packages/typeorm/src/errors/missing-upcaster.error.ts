import { TableQueueError } from './table-queue.error.js';

/**
 * The error of a job whose payload is older than its definition can read. It is not retried, and keeps its payload in
 * the history. Add the upcaster, then retry the job.
 */
export class MissingUpcasterError extends TableQueueError {
  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The version of the payload. */
    readonly version: number,
    /** The version of the definition. */
    readonly currentVersion: number,
  ) {
    super(
      `The payload of job "${jobName}" has version ${version}, but its definition, of version ${currentVersion}, has ` +
        `no upcaster from ${version} to ${version + 1}. Add it, then retry the job with "queue.failed.retry".`,
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/** The payload contains a value that JSON would change or drop. Nothing was stored. */
export class UnserializablePayloadError extends TableQueueError {
  constructor(
    /** The name of the job. */
    readonly jobName: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(
      `The payload of job "${jobName}" cannot be stored as JSON: ${reason}. ` +
        'Pass plain data: objects, arrays, strings, finite numbers, booleans, null.',
      options,
    );
  }
}

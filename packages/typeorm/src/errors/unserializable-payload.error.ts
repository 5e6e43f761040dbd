import { TableQueueError } from './table-queue.error.js';

/** The payload holds something JSON cannot carry without changing it. Nothing was stored. */
export class UnserializablePayloadError extends TableQueueError {
  constructor(
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

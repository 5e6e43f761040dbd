import { TableQueueError } from './table-queue.error.js';

/** The JSON of the payload is larger than `maxPayloadBytes`. Nothing was stored. */
export class PayloadTooLargeError extends TableQueueError {
  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The size of the JSON in bytes. */
    readonly bytes: number,
    /** The limit in bytes. */
    readonly limit: number,
  ) {
    super(
      `The payload of job "${jobName}" is ${bytes} bytes of JSON, the limit is ${limit}. ` +
        'Store the data elsewhere and enqueue a reference to it, or raise "maxPayloadBytes".',
    );
  }
}

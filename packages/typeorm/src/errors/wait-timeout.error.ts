import { TableQueueError } from './table-queue.error.js';

/** A job that was waited for has not ended in time. It goes on as if nobody had waited. */
export class WaitTimeoutError extends TableQueueError {
  constructor(
    /** The id of the job. */
    readonly id: string,
    /** How long it was waited for, in ms. */
    readonly timeout: number,
    /** Why nothing was seen of it, where the database could not be asked. */
    cause?: unknown,
  ) {
    super(`Job ${id} has not ended within ${timeout} ms.`, { cause });
  }
}

import { TableQueueError } from './table-queue.error.js';

/**
 * The reason of a job's `AbortSignal`, and the error of its attempt, after the `timeout` of its definition. The attempt
 * has failed, whatever its handler still does.
 */
export class JobTimeoutError extends TableQueueError {
  constructor(
    /** The timeout, in ms. */
    readonly timeout: number,
  ) {
    super(`The attempt took longer than its timeout of ${timeout} ms.`);
  }
}

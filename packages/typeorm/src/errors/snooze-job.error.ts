import { type Duration, toMilliseconds } from '../duration.js';
import { TableQueueError } from './table-queue.error.js';

/**
 * Thrown by a handler to run the job again after a delay. The attempt does not count as a failure and no error is
 * stored. A job can be snoozed any number of times. `JobContext.attempt` grows with every claim.
 */
export class SnoozeJobError extends TableQueueError {
  /** The delay in ms. */
  readonly delay: number;

  /**
   * @param delay the wait: 1 ms to 100 years.
   * @throws InvalidOptionError for an invalid duration. In a handler the attempt then fails.
   */
  constructor(delay: Duration) {
    const milliseconds = toMilliseconds('delay', delay, 1);
    super(`The job runs again after ${milliseconds} ms.`);
    this.delay = milliseconds;
  }
}

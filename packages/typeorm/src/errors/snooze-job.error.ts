import { type Duration, toMilliseconds } from '../duration.js';
import { TableQueueError } from './table-queue.error.js';

/**
 * Thrown by a handler: not now, run the job again after a delay. No failure is charged and no error is kept; there is
 * no limit to how often. `JobContext.attempt` grows, as it does with every claim.
 */
export class SnoozeJobError extends TableQueueError {
  /** In ms. */
  readonly delay: number;

  /**
   * @param delay how long to wait, at least 1 ms.
   * @throws InvalidOptionError, which a handler lets out as any other error: the attempt has failed then.
   */
  constructor(delay: Duration) {
    const milliseconds = toMilliseconds('delay', delay, 1);
    super(`The job is to run again after ${milliseconds} ms.`);
    this.delay = milliseconds;
  }
}

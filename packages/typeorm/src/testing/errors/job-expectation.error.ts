import { brandError } from '../../errors/brand-error.js';
import { TableQueueError } from '../../errors/index.js';

/** The enqueued jobs are not as the test expects. The message lists them. */
export class JobExpectationError extends TableQueueError {
  static {
    brandError(this, 'JobExpectationError');
  }
}

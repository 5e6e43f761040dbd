import { brandError } from '../../errors/brand-error.js';
import { TableQueueError } from '../../errors/index.js';

/** A drain found a job without a handler, or with a handler that is too old for its payload. */
export class UnhandledJobError extends TableQueueError {
  static {
    brandError(this, 'UnhandledJobError');
  }
}

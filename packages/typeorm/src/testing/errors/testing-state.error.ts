import { brandError } from '../../errors/brand-error.js';
import { TableQueueError } from '../../errors/index.js';

/** A call that the current state of the testing queue or clock does not allow. */
export class TestingStateError extends TableQueueError {
  static {
    brandError(this, 'TestingStateError');
  }
}

import { TableQueueError } from './table-queue.error.js';

/** A named lock did not become free in time. */
export class LockTimeoutError extends TableQueueError {
  constructor(
    /** The lock's name. */
    readonly lockName: string,
    /** How long the call has waited, in ms. */
    readonly timeout: number,
  ) {
    super(
      `The lock "${lockName}" was not free within ${timeout} ms. ` +
        'Wait longer with "timeout", or continue without the lock.',
    );
  }
}

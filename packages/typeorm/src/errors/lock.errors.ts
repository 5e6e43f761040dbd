import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/** A named lock did not become free in time. */
export class LockTimeoutError extends TableQueueError {
  static {
    brandError(this, 'LockTimeoutError');
  }

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

/** A named lock was lost while it was held: another holder may have it now. Also the reason of its `AbortSignal`. */
export class LockLostError extends TableQueueError {
  static {
    brandError(this, 'LockLostError');
  }

  constructor(
    /** The lock's name. */
    readonly lockName: string,
  ) {
    super(
      `The lock "${lockName}" was lost while it was held. ` +
        'Stop the work that it protects: another holder may have it now.',
    );
  }
}

/** A lock object was acquired twice. Named locks are not reentrant. */
export class LockStateError extends TableQueueError {
  static {
    brandError(this, 'LockStateError');
  }

  constructor(
    /** The lock's name. */
    readonly lockName: string,
  ) {
    super(
      `This object already holds the lock "${lockName}", or waits for it. Named locks are not reentrant: ` +
        'release it first, or make another object, which then waits for this one.' +
        seeDocs('guides/named-locks.md'),
    );
  }
}

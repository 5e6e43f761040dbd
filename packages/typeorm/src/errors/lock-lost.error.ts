import { TableQueueError } from './table-queue.error.js';

/** A named lock was lost while it was held: another holder may have it now. Also the reason of its `AbortSignal`. */
export class LockLostError extends TableQueueError {
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

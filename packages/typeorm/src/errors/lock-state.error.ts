import { TableQueueError } from './table-queue.error.js';

/** A lock object was acquired twice. Named locks are not reentrant. */
export class LockStateError extends TableQueueError {
  constructor(
    /** The lock's name. */
    readonly lockName: string,
  ) {
    super(
      `This object already holds the lock "${lockName}", or waits for it. Named locks are not reentrant: ` +
        'release it first, or make another object, which then waits for this one.',
    );
  }
}

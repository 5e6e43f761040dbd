import { TableQueueError } from './table-queue.error.js';

/** A named lock was asked for by an object that has it already, or is about to. Named locks are not re-entrant. */
export class LockStateError extends TableQueueError {
  constructor(
    /** The lock's name. */
    readonly lockName: string,
  ) {
    super(
      `This object holds the lock "${lockName}", or waits for it, already. Named locks are not re-entrant: ` +
        'release it first, or make another object, which will wait for this one.',
    );
  }
}

import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/**
 * Another job of the definition has the unique key: the job was not stored, with `onConflict: 'throw'`, or a finished
 * job was not retried.
 */
export class DuplicateJobError extends TableQueueError {
  static {
    brandError(this, 'DuplicateJobError');
  }

  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The unique key. */
    readonly key: string,
    /** The id of the other job. It is not stored if it is a job of the same call. */
    readonly id: string,
  ) {
    super(`A job "${jobName}" with the unique key "${key}" already exists: ${id}.`);
  }
}

/** A queue is full: see `QueueLimits.maxLength`. No job of the call was stored. */
export class QueueFullError extends TableQueueError {
  static {
    brandError(this, 'QueueFullError');
  }

  constructor(
    /** The name of the queue. */
    readonly queue: string,
    /** The maximum of its waiting jobs. */
    readonly maxLength: number,
    /** How many jobs the call would have stored in it. */
    readonly jobs: number,
  ) {
    super(
      `The queue "${queue}" is full: with ${jobs} more ${jobs === 1 ? 'job' : 'jobs'} its waiting jobs would exceed its ` +
        `maxLength of ${maxLength}. Try again later, or answer your caller that it is too busy. If the workers keep up, ` +
        'raise maxLength with control.limit.',
    );
  }
}

/** A call was made inside an open transaction but is not part of it. */
export class OutsideTransactionError extends TableQueueError {
  static {
    brandError(this, 'OutsideTransactionError');
  }

  constructor(
    /** What the call does: `The enqueue of "mail.send"`. */
    readonly call: string,
  ) {
    super(
      `${call} is inside an open transaction but not part of it: it takes effect even if the transaction is rolled ` +
        'back, and jobs may run before its commit. Pass the manager of the transaction as { manager } to make it ' +
        'part of the transaction, or { outsideTransaction: true } to commit it on its own.' +
        seeDocs('guides/ambient-transactions.md'),
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/** A call of the queue's stands beside a transaction that is open around it, and is not part of it. */
export class OutsideTransactionError extends TableQueueError {
  constructor(
    /** What was called, as a sentence begins: `The enqueue of "mail.send"`. */
    readonly call: string,
  ) {
    super(
      `${call} is not part of the transaction that is open around it: it takes effect even if that is rolled back, and ` +
        'its jobs may run before it commits. Pass { manager } to make it a part, or { manager: dataSource.manager } if ' +
        'it is meant to commit by itself.',
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/** A call was made inside an open transaction but is not part of it. */
export class OutsideTransactionError extends TableQueueError {
  constructor(
    /** What the call does: `The enqueue of "mail.send"`. */
    readonly call: string,
  ) {
    super(
      `${call} is inside an open transaction but not part of it: it takes effect even if the transaction is rolled ` +
        'back, and jobs may run before its commit. Pass { manager } to make it part of the transaction, or ' +
        '{ manager: dataSource.manager } to commit it on its own.',
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/**
 * The database refuses a value: it is longer than its column, or has letters that the column's character set has not.
 * Nothing of it was stored. The driver's error is the `cause`.
 */
export class ValueRefusedError extends TableQueueError {
  constructor(what: string, cause: unknown) {
    super(
      `Cannot ${what}: ${cause instanceof Error ? cause.message : String(cause)}. Compare the columns of the queue's ` +
        'tables with those that its migration makes, and store less or other letters.',
      { cause },
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/**
 * The database rejects a value: it is longer than its column, or contains characters that the character set of the
 * column lacks. Nothing was stored. The driver's error is the `cause`.
 */
export class ValueRefusedError extends TableQueueError {
  constructor(what: string, cause: unknown) {
    super(
      `Cannot ${what}: ${cause instanceof Error ? cause.message : String(cause)}. Compare the columns of the ` +
        "queue's tables with those of its migration, or store a shorter value.",
      { cause },
    );
  }
}

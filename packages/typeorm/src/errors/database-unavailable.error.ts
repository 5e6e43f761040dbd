import { TableQueueError } from './table-queue.error.js';

/** The database did not answer, or its connection broke. The driver's error is the `cause`. */
export class DatabaseUnavailableError extends TableQueueError {
  constructor(what: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message || (cause as { code?: string }).code : String(cause);
    super(
      `Cannot ${what}: ${reason}. Check that the database server runs and accepts connections ` +
        "at the data source's host and port.",
      { cause },
    );
  }
}

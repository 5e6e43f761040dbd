import { TableQueueError } from './table-queue.error.js';

const ADVICE = "Check that the database server runs and accepts connections at the data source's host and port.";

/** The database did not answer, its connection broke, or it is read-only for now. The driver's error is the `cause`. */
export class DatabaseUnavailableError extends TableQueueError {
  constructor(what: string, cause: unknown, advice = ADVICE) {
    const reason = cause instanceof Error ? cause.message || (cause as { code?: string }).code : String(cause);
    super(`Cannot ${what}: ${reason}. ${advice}`, { cause });
  }
}

import { TableQueueError } from './table-queue.error.js';

/**
 * A lock was held for longer than the queue waits: on SQLite the connection or the file, on MySQL and MariaDB rows. The
 * call took no effect.
 */
export class DatabaseBusyError extends TableQueueError {
  constructor(what: string, reason: string, cause?: unknown) {
    super(`Cannot ${what}: ${reason}`, { cause });
  }
}

import { TableQueueError } from './table-queue.error.js';

/**
 * What an operation needs stayed taken for longer than the queue waits: on SQLite the connection or the file, on MySQL
 * and MariaDB rows. It took no effect.
 */
export class DatabaseBusyError extends TableQueueError {
  constructor(what: string, reason: string, cause?: unknown) {
    super(`Cannot ${what}: ${reason}`, { cause });
  }
}

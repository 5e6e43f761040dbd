import { TableQueueError } from './table-queue.error.js';

/** The data source's type, or its server's version, is not one the queue works on. */
export class UnsupportedDatabaseError extends TableQueueError {
  constructor(found: string) {
    super(
      `Tablequeue does not work on ${found}. ` +
        'Use MySQL 5.6.24 or newer, MariaDB 10.5 or newer, or SQLite through better-sqlite3.',
    );
  }
}

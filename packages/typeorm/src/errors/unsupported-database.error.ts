import { TableQueueError } from './table-queue.error.js';

/** The type of the data source, or the version of its server, is not supported. */
export class UnsupportedDatabaseError extends TableQueueError {
  constructor(found: string) {
    super(
      `Tablequeue does not work on ${found}. ` +
        'Use MySQL 5.6.24 or newer, MariaDB 10.5 or newer, or SQLite through better-sqlite3.',
    );
  }
}

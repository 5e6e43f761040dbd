import { TableQueueError } from './table-queue.error.js';

/** The queue's tables are not in the database. */
export class MissingTablesError extends TableQueueError {
  constructor(
    /** The tables that were not found. */
    readonly tables: readonly string[],
    cause?: unknown,
  ) {
    super(
      `The database has no table ${tables.join(', ')}. Call upTableQueue(queryRunner) from a migration of your own ` +
        'and run it, or switch "synchronize" on while developing.',
      { cause },
    );
  }
}

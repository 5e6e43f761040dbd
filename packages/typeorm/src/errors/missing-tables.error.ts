import { TableQueueError } from './table-queue.error.js';

/** The queue's tables are not in the database, or they are older than this release and lack a column. */
export class MissingTablesError extends TableQueueError {
  /** @param column the column that is missing, if the table is there. */
  constructor(
    /** The tables that were not found. Empty if a column is missing. */
    readonly tables: readonly string[],
    cause?: unknown,
    column?: string,
  ) {
    super(
      column === undefined
        ? `The database has no table ${tables.join(', ')}. Call upTableQueue(queryRunner) from a migration of ` +
            'your own and run it, or switch "synchronize" on while developing.'
        : `The queue's tables have no column "${column}": they are older than this release. Call ` +
            'upTableQueue(queryRunner, { from }) from a new migration, with the version they have now, and run it.',
      { cause },
    );
  }
}

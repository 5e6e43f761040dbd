import { TableQueueError } from './table-queue.error.js';

/** A data source has the queue's entities for several sets of tables: it would use one of them, and nobody chose which. */
export class EntityConflictError extends TableQueueError {
  constructor(
    /** The table of the jobs in each set. */
    readonly tables: readonly string[],
  ) {
    super(
      `The data source has the queue's entities more than once, for the tables ${tables.join(' and ')}. A data source ` +
        'has one queue and one prefix. Give entities of another prefix to a data source of its own, which may connect ' +
        'to the same database; with autoLoadEntities say the same prefix in TableQueueModule and in tableQueueEntities.',
    );
  }
}

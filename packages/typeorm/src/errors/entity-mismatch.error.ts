import { TableQueueError } from './table-queue.error.js';

/** The queue's entities were made for another kind of database than the data source's. */
export class EntityMismatchError extends TableQueueError {
  constructor(made: string, actual: string) {
    super(
      `The queue's entities were made for "${made}", but the data source is "${actual}". ` +
        `Use tableQueueEntities('${actual}'), or databaseType: '${actual}' in TableQueueModule.`,
    );
  }
}

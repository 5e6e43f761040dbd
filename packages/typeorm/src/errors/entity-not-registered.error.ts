import { TableQueueError } from './table-queue.error.js';

/** The data source does not know the queue's entities. */
export class EntityNotRegisteredError extends TableQueueError {
  constructor(
    /** The entity that was looked for. */
    readonly entity: string,
    /** TypeORM's type of the data source. */
    databaseType: string,
  ) {
    super(
      `The data source does not know the entity ${entity}. Add the queue's entities to it: ` +
        `entities: [...tableQueueEntities('${databaseType}')], or, in a Nest application, autoLoadEntities: true.`,
    );
  }
}

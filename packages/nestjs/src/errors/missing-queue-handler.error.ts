import { TableQueueError } from '@tablequeue/typeorm';

/** A method has `@Recurring` and no `@QueueHandler`, which says what job it handles. */
export class MissingQueueHandlerError extends TableQueueError {
  constructor(place: string) {
    super(`The method ${place} has @Recurring, but no @QueueHandler. Add @QueueHandler(definition) to it.`);
  }
}

import { TableQueueError } from '@tablequeue/typeorm';

/** A method has `@Recurring` but no `@QueueHandler`, which names its job. */
export class MissingQueueHandlerError extends TableQueueError {
  constructor(source: string) {
    super(`The method ${source} has @Recurring, but no @QueueHandler. Add @QueueHandler(definition) to it.`);
  }
}

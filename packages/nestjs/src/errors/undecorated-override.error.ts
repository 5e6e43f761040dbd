import { TableQueueError } from '@tablequeue/typeorm';

/**
 * A class overrides an inherited queue handler without decorating it: the job would lose its handler, and its guards.
 */
export class UndecoratedOverrideError extends TableQueueError {
  constructor(
    /** The overriding method: `Class.method`. */
    source: string,
    /** The overridden method: `Class.method`. */
    overridden: string,
  ) {
    super(
      `The method ${source} overrides the queue handler ${overridden} and has no @QueueHandler. ` +
        'Add the decorator, and the guards and pipes it needs, or rename the method.',
    );
  }
}

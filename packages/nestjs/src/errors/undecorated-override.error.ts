import { TableQueueError } from '@tablequeue/typeorm';

/** A class overrides an inherited queue handler without decorating it: the job would lose its handler, and its guards. */
export class UndecoratedOverrideError extends TableQueueError {
  constructor(
    /** Where the method stands that overrides. */
    place: string,
    /** `Class.method` of what it overrides. */
    overridden: string,
  ) {
    super(
      `The method ${place} overrides the queue handler ${overridden} and has no @QueueHandler. ` +
        'Decorate it as well, also with the guards and the like that it needs, or give it another name.',
    );
  }
}

import { TableQueueError } from '@tablequeue/typeorm';

/** A handler is a method of a provider that is made anew for each request. */
export class UnsupportedHandlerScopeError extends TableQueueError {
  constructor(place: string) {
    super(
      `The queue handler ${place} belongs to a request-scoped or transient provider, or depends on one. ` +
        'Move it to a provider with the default scope.',
    );
  }
}

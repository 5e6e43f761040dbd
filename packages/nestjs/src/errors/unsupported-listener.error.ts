import { TableQueueError } from '@tablequeue/typeorm';

/** A method with `@OnQueueEvent` cannot be called: there is no one instance of its class, or Nest does not find it. */
export class UnsupportedListenerError extends TableQueueError {
  constructor(source: string, why: 'scoped' | 'static or symbol') {
    super(
      why === 'scoped'
        ? `The event listener ${source} belongs to a request-scoped or transient provider, or depends on one, and ` +
            'events belong to no request. Move it to a provider with the default scope.'
        : `The event listener ${source} is static or has a symbol for its name. Make it an ordinary method ` +
            'of a provider.',
    );
  }
}

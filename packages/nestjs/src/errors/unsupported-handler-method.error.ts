import { TableQueueError } from '@tablequeue/typeorm';

/** What was decorated is no method, or one that Nest does not find: a static one, or one with a symbol for its name. */
export class UnsupportedHandlerMethodError extends TableQueueError {
  constructor(place: string) {
    super(
      `The queue handler ${place} is static, has a symbol for its name, or is an accessor or a property. ` +
        'Make it an ordinary method of a provider.',
    );
  }
}

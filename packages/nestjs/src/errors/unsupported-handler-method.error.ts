import { TableQueueError } from '@tablequeue/typeorm';

/** A method that Nest does not find was decorated: a static one, or one with a symbol for its name. */
export class UnsupportedHandlerMethodError extends TableQueueError {
  constructor(place: string) {
    super(
      `The queue handler ${place} is static or has a symbol for its name. Make it an ordinary method of a provider.`,
    );
  }
}

import { TableQueueError } from '@tablequeue/typeorm';

/** The decorator is not on a method that Nest finds: it is static, symbol-named, an accessor or a property. */
export class UnsupportedHandlerMethodError extends TableQueueError {
  constructor(source: string) {
    super(
      `The queue handler ${source} is static, has a symbol for its name, or is an accessor or a property. ` +
        'Make it an ordinary method of a provider.',
    );
  }
}

import { TableQueueError } from '@tablequeue/typeorm';

/** Nest would run a handler without guards, pipes, interceptors or filters that are bound to it. */
export class UnreachableHandlerError extends TableQueueError {
  constructor(
    source: string,
    /** The names of those it would leave out. */
    enhancers: readonly string[],
  ) {
    super(
      `Nest cannot run ${enhancers.join(', ')} around the queue handler ${source}: it makes guards, pipes, ` +
        'interceptors and filters only for handlers whose class is provided, and this one is a controller, a module, ' +
        'a value, or made by a factory. List its class in `providers`, or bind instances: @UseGuards(new …).',
    );
  }
}

import { TableQueueError } from '@tablequeue/typeorm';

/** A process is to work on queues that no handler is for, most often a misspelling. */
export class UnknownQueueError extends TableQueueError {
  constructor(
    source: string,
    /** The queues without a handler. */
    readonly queues: readonly string[],
    /** The queues that have handlers. */
    readonly known: readonly string[],
  ) {
    const names = queues.map((queue) => `"${queue}"`).join(', ');
    super(
      `There is no handler for ${queues.length === 1 ? 'the queue' : 'the queues'} ${names} of ${source}. ` +
        `Queues with handlers: ${known.join(', ') || 'none'}.`,
    );
  }
}

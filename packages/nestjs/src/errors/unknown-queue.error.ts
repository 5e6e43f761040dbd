import { TableQueueError } from '@tablequeue/typeorm';

/** The role of a process names queues without a handler, most often because of a typo. */
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

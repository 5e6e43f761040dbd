import { inspect } from 'node:util';

import { TableQueueError } from './table-queue.error.js';

/** An option has a value that is not accepted. For an option that does not exist, see `UnknownOptionError`. */
export class InvalidOptionError extends TableQueueError {
  constructor(
    /** The name of the option, as a path: `queues.mail.concurrency`. */
    readonly option: string,
    /** The value that was given. */
    readonly value: unknown,
    /** What is accepted. */
    readonly accepted: string,
  ) {
    super(`The option "${option}" is ${inspect(value, { depth: 1 })}, but must be ${accepted}.`);
  }
}

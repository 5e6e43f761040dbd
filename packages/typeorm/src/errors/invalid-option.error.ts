import { inspect } from 'node:util';

import { TableQueueError } from './table-queue.error.js';

/** An option has a value outside its accepted range. One that does not exist: `UnknownOptionError`. */
export class InvalidOptionError extends TableQueueError {
  constructor(
    /** The option's name, as a path: `queues.mail.concurrency`. */
    readonly option: string,
    /** The value that was given. */
    readonly value: unknown,
    /** What would have been accepted. */
    readonly accepted: string,
  ) {
    super(`The option "${option}" is ${inspect(value, { depth: 1 })}, but must be ${accepted}.`);
  }
}

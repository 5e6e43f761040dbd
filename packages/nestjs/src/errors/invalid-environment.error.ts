import { inspect } from 'node:util';

import { TableQueueError } from '@tablequeue/typeorm';

/** An environment variable has a value that is not accepted. */
export class InvalidEnvironmentError extends TableQueueError {
  constructor(
    /** The variable's name. */
    readonly variable: string,
    /** The value that was found. */
    readonly value: string,
    /** What would have been accepted. */
    readonly accepted: string,
  ) {
    super(`The environment variable ${variable} is ${inspect(value)}, but must be ${accepted}.`);
  }
}

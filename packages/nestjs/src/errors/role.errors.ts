import { inspect } from 'node:util';

import { TableQueueError } from '@tablequeue/typeorm';
import { brandError, seeDocs } from '@tablequeue/typeorm/internal';

/** An environment variable has a value that is not accepted. */
export class InvalidEnvironmentError extends TableQueueError {
  static {
    brandError(this, 'InvalidEnvironmentError');
  }

  constructor(
    /** The variable's name. */
    readonly variable: string,
    /** The value that was found. */
    readonly value: string,
    /** What would have been accepted. */
    readonly accepted: string,
  ) {
    super(
      `The environment variable ${variable} is ${inspect(value)}, but must be ${accepted}.` +
        seeDocs('reference/configuration.md#environment-variables'),
    );
  }
}

/** A process is a worker by its role, but the application has no handlers. */
export class NothingToWorkOnError extends TableQueueError {
  static {
    brandError(this, 'NothingToWorkOnError');
  }

  constructor(source: string) {
    super(
      `This process is a worker (${source}), but no provider or controller has a @QueueHandler method. ` +
        "Import the modules that have some, or use the role 'producer' or 'all'." +
        seeDocs('operate/roles.md'),
    );
  }
}

/** The role of a process names queues without a handler, most often because of a typo. */
export class UnknownQueueError extends TableQueueError {
  static {
    brandError(this, 'UnknownQueueError');
  }

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
        `Queues with handlers: ${known.join(', ') || 'none'}.` +
        seeDocs('operate/roles.md'),
    );
  }
}

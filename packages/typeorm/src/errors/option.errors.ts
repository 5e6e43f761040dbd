import { inspect } from 'node:util';

import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/** An option has a value that is not accepted. For an option that does not exist, see `UnknownOptionError`. */
export class InvalidOptionError extends TableQueueError {
  static {
    brandError(this, 'InvalidOptionError');
  }

  constructor(
    /** The name of the option, as a path: `queues.mail.concurrency`. */
    readonly option: string,
    /** The value that was given. */
    readonly value: unknown,
    /** What is accepted. */
    readonly accepted: string,
  ) {
    super(
      `The option "${option}" is ${inspect(value, { depth: 1 })}, but must be ${accepted}.` +
        seeDocs('reference/configuration.md'),
    );
  }
}

/**
 * An options object has a property that nothing reads: a misspelling, or an option of another queue or another call.
 */
export class UnknownOptionError extends TableQueueError {
  static {
    brandError(this, 'UnknownOptionError');
  }

  /** @param advice what to do instead, as a sentence. Default: the list of the known names. */
  constructor(
    /** The name of the unknown option, as a path: `queues.mail.limiter`. */
    readonly option: string,
    /** The names that are known there. */
    readonly known: readonly string[],
    advice = `Remove it, or use one of: ${known.join(', ')}.`,
  ) {
    super(`There is no option "${option}". ${advice}` + seeDocs('reference/configuration.md'));
  }
}

/** A name, a key or a tenant cannot be stored. */
export class InvalidNameError extends TableQueueError {
  static {
    brandError(this, 'InvalidNameError');
  }

  /** @param rule the rule that the value breaks, as an instruction. */
  constructor(
    /** What the value is for. */
    readonly kind:
      | 'job name'
      | 'queue name'
      | 'schedule name'
      | 'key'
      | 'unique key'
      | 'lock name'
      | 'tenant'
      | 'step name'
      | 'signal name'
      | 'order key'
      | 'event name'
      | 'subscription name',
    /** The rejected value. */
    readonly value: unknown,
    rule: string,
  ) {
    super(`${inspect(value)} is not a valid ${kind}: ${rule}.` + seeDocs('reference/configuration.md#names'));
  }
}

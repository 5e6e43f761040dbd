import { TableQueueError } from './table-queue.error.js';

/**
 * An options object has a property that nothing reads: a misspelling, or an option of another queue or another call.
 */
export class UnknownOptionError extends TableQueueError {
  /** @param advice what to do instead, as a sentence. Default: the list of the known names. */
  constructor(
    /** The name of the unknown option, as a path: `queues.mail.limiter`. */
    readonly option: string,
    /** The names that are known there. */
    readonly known: readonly string[],
    advice = `Remove it, or use one of: ${known.join(', ')}.`,
  ) {
    super(`There is no option "${option}". ${advice}`);
  }
}

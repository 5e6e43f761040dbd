import { TableQueueError } from './table-queue.error.js';

/** An option object carries a key that nothing reads, most often a misspelling. */
export class UnknownOptionError extends TableQueueError {
  constructor(
    /** The unknown option's name, as a path. */
    readonly option: string,
    /** The names that are known at that place. */
    readonly known: readonly string[],
  ) {
    super(`There is no option "${option}". Remove it, or use one of: ${known.join(', ')}.`);
  }
}

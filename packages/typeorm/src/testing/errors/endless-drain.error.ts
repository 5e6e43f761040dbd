import { TableQueueError } from '../../errors/index.js';

/** A drain has not come to an end: jobs enqueue one another, or are due again at once, for ever. */
export class EndlessDrainError extends TableQueueError {
  constructor(
    /** How many runs it had. */
    readonly runs: number,
    /** The name of the job that came next. */
    readonly next: string,
  ) {
    super(
      `The drain was broken off after ${runs} runs, and there is more to do: the next would have been "${next}". Jobs that ` +
        'enqueue one another, or are retried or put off without a delay, never end. Give them a delay, and move the clock.',
    );
  }
}

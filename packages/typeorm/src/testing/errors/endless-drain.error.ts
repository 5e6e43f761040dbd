import { brandError } from '../../errors/brand-error.js';
import { seeDocs } from '../../errors/see-docs.js';
import { TableQueueError } from '../../errors/index.js';

/** A drain does not end: jobs enqueue one another, or are due again at once. */
export class EndlessDrainError extends TableQueueError {
  static {
    brandError(this, 'EndlessDrainError');
  }

  constructor(
    /** The number of attempts. */
    readonly runs: number,
    /** The name of the next job. */
    readonly next: string,
  ) {
    super(
      `The drain was stopped after ${runs} attempts, before the next job "${next}". Jobs that enqueue one another, ` +
        'or are retried or snoozed without a delay, never end. Give them a delay, and advance the clock.' +
        seeDocs('guides/testing.md#run-jobs'),
    );
  }
}

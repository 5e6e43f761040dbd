import { type Duration, toMilliseconds } from '../duration.js';
import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/** Thrown by a handler to fail the job at once, without a retry. */
export class UnrecoverableJobError extends TableQueueError {
  static {
    brandError(this, 'UnrecoverableJobError');
  }
}

/**
 * Thrown by a handler to run the job again after a delay. The attempt does not count as a failure and no error is
 * stored. A job can be snoozed any number of times. `JobContext.attempt` grows with every claim.
 */
export class SnoozeJobError extends TableQueueError {
  static {
    brandError(this, 'SnoozeJobError');
  }

  /** The delay in ms. */
  readonly delay: number;

  /**
   * @param delay the wait: 1 ms to 100 years.
   * @throws InvalidOptionError for an invalid duration. In a handler the attempt then fails.
   */
  constructor(delay: Duration) {
    const milliseconds = toMilliseconds('delay', delay, 1);
    super(`The job runs again after ${milliseconds} ms.`);
    this.delay = milliseconds;
  }
}

/**
 * The reason of a job's `AbortSignal`, and the error of its attempt, after the `timeout` of its definition. The attempt
 * has failed, whatever its handler still does.
 */
export class JobTimeoutError extends TableQueueError {
  static {
    brandError(this, 'JobTimeoutError');
  }

  constructor(
    /** The timeout, in ms. */
    readonly timeout: number,
  ) {
    super(`The attempt took longer than its timeout of ${timeout} ms.`);
  }
}

/** The reason of a job's `AbortSignal` after it was cancelled, and the error of `waitFor` for a cancelled job. */
export class JobCancelledError extends TableQueueError {
  static {
    brandError(this, 'JobCancelledError');
  }

  constructor(message = 'The job was cancelled while it ran.') {
    super(message);
  }
}

/** The error of a job whose process crashed, or lost its lease, too many times in a row while the job ran. */
export class JobCrashedTooOftenError extends TableQueueError {
  static {
    brandError(this, 'JobCrashedTooOftenError');
  }

  constructor(
    /** The number of crashes in a row. */
    readonly crashes: number,
  ) {
    super(
      `The process crashed, or lost its lease, ${crashes} times in a row while the job ran. ` +
        'The job does not run again. ' +
        'If crashes are expected, raise "retry.crashes" of its definition.' +
        seeDocs('internals/dead-workers.md'),
    );
  }
}

/** The reason of a job's `AbortSignal` when its worker could not renew its lease. Another worker runs the job again. */
export class LeaseLostError extends TableQueueError {
  static {
    brandError(this, 'LeaseLostError');
  }

  constructor() {
    super("The worker's lease ended before it could be renewed. Another worker will take the job over.");
  }
}

/**
 * The reason of a job's `AbortSignal` at the end of `shutdownTimeout`. The job returns to the queue; no failure counts.
 */
export class WorkerStoppingError extends TableQueueError {
  static {
    brandError(this, 'WorkerStoppingError');
  }

  constructor() {
    super(
      'The worker is stopping. The job returns to the queue and runs again on another worker; no failure is counted.',
    );
  }
}

/** A batch handler has set the outcome of a job twice, or after it returned. The first outcome counts. */
export class BatchOutcomeError extends TableQueueError {
  static {
    brandError(this, 'BatchOutcomeError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
    /** The first outcome of the job. */
    readonly outcome: 'succeeded' | 'failed',
  ) {
    super(
      `Job ${id} has already ${outcome}: the batch handler has set its outcome before, or has returned. ` +
        'Set the outcome of each job once, and before the handler returns.' +
        seeDocs('guides/batch-handlers.md'),
    );
  }
}

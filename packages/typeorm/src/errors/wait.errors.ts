import { brandError } from './brand-error.js';
import { TableQueueError } from './table-queue.error.js';

/** A job that `waitFor` waited for has failed and is not retried. */
export class JobFailedError extends TableQueueError {
  static {
    brandError(this, 'JobFailedError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
    /** The stored error of the job, with its stack and causes. */
    readonly reason: string | undefined,
  ) {
    super(`Job ${id} has failed: ${reason ?? 'it left no error.'}`);
  }
}

/** A job that `waitFor` waited for has expired: it had not started within its `expiresIn`. It never ran. */
export class JobExpiredError extends TableQueueError {
  static {
    brandError(this, 'JobExpiredError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
  ) {
    super(
      `Job ${id} has expired: it had not started within its expiresIn. Retry it by hand to run it without an expiry time.`,
    );
  }
}

/**
 * A job that `waitFor` waited for has finished and was not kept: it succeeded with `keep: 'none'`, or it was pruned.
 */
export class JobGoneError extends TableQueueError {
  static {
    brandError(this, 'JobGoneError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
  ) {
    super(
      `Job ${id} has finished, but its outcome was not kept: it succeeded and its definition has keep: 'none', or it ` +
        'was pruned.',
    );
  }
}

const UNSEEN =
  ' It was not found: it does not exist, its transaction has not committed, or it finished before and was not kept.';

/** A job that `waitFor` waited for has not finished in time. The job itself goes on. */
export class WaitTimeoutError extends TableQueueError {
  static {
    brandError(this, 'WaitTimeoutError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
    /** How long the call has waited, in ms. */
    readonly timeout: number,
    /** Whether a poll has found the job. */
    readonly wasSeen: boolean,
    /** The last error of the database, if polls failed. */
    cause?: unknown,
  ) {
    super(`Job ${id} has not finished within ${timeout} ms.${wasSeen ? '' : UNSEEN}`, { cause });
  }
}

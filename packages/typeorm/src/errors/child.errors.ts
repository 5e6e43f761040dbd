import { brandError } from './brand-error.js';
import { TableQueueError } from './table-queue.error.js';

/**
 * A child of a durable job has failed for good. Each later attempt of the parent gets the same error. If the handler
 * does not catch it, the parent fails without a retry.
 */
export class ChildFailedError extends TableQueueError {
  static {
    brandError(this, 'ChildFailedError');
  }

  constructor(
    /** The id of the child. */
    readonly childId: string,
    /** The error of the child, as text. */
    readonly reason: string,
    /** Whether the message leaves the reason out, because the parent would store it as it is. Default: false. */
    isEncoded = false,
  ) {
    const [line = ''] = isEncoded ? ['Its error is encoded: see the child.'] : reason.split('\n', 1);
    super(
      `The child ${childId} failed: ${line.replace(/[.\s]*$/, '.')} Correct the cause, then retry the parent: ` +
        'that starts a new child.',
    );
  }
}

/**
 * A child of a durable job has expired: it had not started within its `expiresIn`. Each later attempt of the parent
 * gets the same error. If the handler does not catch it, the parent fails without a retry.
 */
export class ChildExpiredError extends TableQueueError {
  static {
    brandError(this, 'ChildExpiredError');
  }

  constructor(
    /** The id of the child. */
    readonly childId: string,
  ) {
    super(
      `The child ${childId} expired: it had not started within its expiresIn. Catch this error to go on without its ` +
        'result, or retry the parent: that starts a new child.',
    );
  }
}

/** A child of a durable job was cancelled. Each later attempt of the parent gets the same error. */
export class ChildCancelledError extends TableQueueError {
  static {
    brandError(this, 'ChildCancelledError');
  }

  constructor(
    /** The id of the child. */
    readonly childId: string,
  ) {
    super(`The child ${childId} was cancelled. Catch this error to go on without its result.`);
  }
}

import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/** Two durable calls of one attempt have the same name. It is not retried: the next attempt would do the same. */
export class DuplicateStepError extends TableQueueError {
  static {
    brandError(this, 'DuplicateStepError');
  }

  constructor(
    /** The name of the step or the wait. */
    readonly step: string,
  ) {
    super(
      `"${step}" was already used in this attempt, so its result could not be found again. Give each step and each ` +
        'wait a name of its own: in a loop, put the item into the name.' +
        seeDocs('guides/durable-steps.md#rules'),
    );
  }
}

/** A durable call inside a step. It is not retried: the next attempt would do the same. */
export class NestedStepError extends TableQueueError {
  static {
    brandError(this, 'NestedStepError');
  }

  constructor(
    /** The method that was called. */
    readonly method: string,
    /** The step that called it. */
    readonly step: string,
  ) {
    super(
      `job.${method} was called inside the step "${step}", which would run it again with each retry of that step. ` +
        'Call it after the step, or use only the context of the step.' +
        seeDocs('guides/durable-steps.md#rules'),
    );
  }
}

/**
 * `TestingQueue.drain` with `restart` has found a handler that does not call a step again that it has stored. It is not
 * retried.
 */
export class UnrepeatedStepError extends TableQueueError {
  static {
    brandError(this, 'UnrepeatedStepError');
  }

  constructor(
    /** The name of the step or the wait. */
    readonly step: string,
  ) {
    super(
      `"${step}" was stored, but the handler did not call it when it ran again. Each run must take the same way: put ` +
        'random values, times and reads that can change into steps.' +
        seeDocs('guides/durable-steps.md#changing-the-code'),
    );
  }
}

/** The error of a step, as it is stored. */
export interface StepCause {
  /** The name of the error, such as `TypeError`. */
  readonly name: string;
  /** The message of the error. */
  readonly message: string;
  /** The `code` of the error, if it has one. */
  readonly code?: string | number;
}

/**
 * A step has failed and is not tried again: it has no try left, its error was unrecoverable, or its result cannot be
 * stored. Each later attempt gets the same error. If the handler does not catch it, the job fails without a retry.
 */
export class StepFailedError extends TableQueueError {
  static {
    brandError(this, 'StepFailedError');
  }

  /** The error that the step threw the last time. */
  declare readonly cause: StepCause;

  constructor(
    /** The name of the step. */
    readonly step: string,
    /** How often it has failed. */
    readonly failures: number,
    cause: StepCause,
  ) {
    super(
      `The step "${step}" failed for good after ${failures} ${failures === 1 ? 'try' : 'tries'}: ` +
        `${cause.message.replace(/[.\s]*$/, '.')} Correct the cause, then retry the job: that runs the step again.`,
      { cause },
    );
  }
}

/** The stored result of a step does not match its `schema`. It is not retried, and the result is kept. */
export class StepResultError extends TableQueueError {
  static {
    brandError(this, 'StepResultError');
  }

  constructor(
    /** The name of the step. */
    readonly step: string,
    reason: string,
  ) {
    super(
      `The stored result of the step "${step}" does not match its schema: ${reason}. ` +
        'Accept the older shape too, or give the changed step a new name.' +
        seeDocs('guides/durable-steps.md#steps'),
    );
  }
}

/** A step took longer than its `timeout`. It counts as a failure of the step. */
export class StepTimeoutError extends TableQueueError {
  static {
    brandError(this, 'StepTimeoutError');
  }

  constructor(
    /** The name of the step. */
    readonly step: string,
    /** The timeout, in ms. */
    readonly timeout: number,
  ) {
    super(
      `The step "${step}" took longer than its timeout of ${timeout} ms. ` +
        'Raise the timeout, or end the step when its signal is aborted.',
    );
  }
}

/** A durable call after the handler has ended, or a checkpoint after its step has ended. Nothing was run. */
export class RunEndedError extends TableQueueError {
  static {
    brandError(this, 'RunEndedError');
  }

  constructor(
    /** The method that was called: `job.step`. */
    readonly method: string,
    ended: 'handler' | 'step',
  ) {
    super(`${method} was called after the ${ended} had ended, so it was not run. Await it in the ${ended}.`);
  }
}

/** A job has more steps, or larger results, than it may have. It is not retried. */
export class StepLimitError extends TableQueueError {
  static {
    brandError(this, 'StepLimitError');
  }

  constructor(
    /** The name of the step. */
    readonly step: string,
    /** The limit, as text: `10000 steps`. */
    readonly limit: string,
  ) {
    super(
      `The step "${step}" would exceed the limit of ${limit} for one job. ` +
        'Use a cursor for a long loop, or enqueue further jobs.' +
        seeDocs('guides/durable-steps.md#limits'),
    );
  }
}

/** Durable calls do not work here. The job fails without a retry. */
export class StepsUnavailableError extends TableQueueError {
  static {
    brandError(this, 'StepsUnavailableError');
  }

  constructor(
    /** The method that was called: `job.step`. */
    readonly method: string,
    reason: string,
    advice: string,
  ) {
    super(`${method} does not work here: ${reason}. ${advice}` + seeDocs('guides/durable-steps.md'));
  }
}

/** The data of a signal cannot be stored, or does not match the schema of the signal. Nothing was sent. */
export class InvalidSignalError extends TableQueueError {
  static {
    brandError(this, 'InvalidSignalError');
  }

  constructor(
    /** The name of the signal. */
    readonly signal: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(
      `The data of the signal "${signal}" cannot be sent: ${reason}. Send JSON data that its schema accepts.` +
        seeDocs('guides/durable-steps.md#waiting'),
      options,
    );
  }
}

/**
 * Rejects the call of a handler in NestJS when its job starts to wait, so that interceptors and filters can end. No
 * error of the job: the job is parked, whatever they do with it. Handlers never see it.
 */
export class JobParkedError extends TableQueueError {
  static {
    brandError(this, 'JobParkedError');
  }

  constructor() {
    super('The job waits, and its handler runs again from its beginning when the wait is over.');
  }
}

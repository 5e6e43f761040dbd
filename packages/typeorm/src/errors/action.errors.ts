import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/** There is no job with this id: it never existed, or it was pruned or deleted. */
export class JobNotFoundError extends TableQueueError {
  static {
    brandError(this, 'JobNotFoundError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
  ) {
    super(`There is no job ${id}: it never existed, or it was pruned or deleted.`);
  }
}

/** An action by hand does not apply to the state of the job: a worker or another person may have been faster. */
export class JobStateError extends TableQueueError {
  static {
    brandError(this, 'JobStateError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
    /** The state of the job. */
    readonly state: string,
    /** What the action needs, as the end of a sentence: `has failed, has expired or was cancelled`. */
    condition: string,
  ) {
    super(`Job ${id} is ${state}, so nothing was changed. This is only for a job that ${condition}.`);
  }
}

/** Another transaction has locked the job: that of a worker, or of another action. */
export class JobLockedError extends TableQueueError {
  static {
    brandError(this, 'JobLockedError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
  ) {
    super(`Job ${id} is being changed by another transaction, so nothing was changed. Look at it, and try again.`);
  }
}

/** A job cannot be rescheduled, because it waits for its place behind others of its order key. */
export class JobOrderError extends TableQueueError {
  static {
    brandError(this, 'JobOrderError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
    /** Its order key. */
    readonly key: string,
  ) {
    super(
      `Job ${id} waits behind other jobs of the order key "${key}", so it has no time of its own. Reschedule the first ` +
        'job of the key instead.',
    );
  }
}

/** The action does not apply to a job that belongs to a group: a callback that waits for it, or a child. */
export class JobGroupError extends TableQueueError {
  static {
    brandError(this, 'JobGroupError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
    /** Whether it waits for a group, or is the child of a durable job. */
    readonly role: 'callback' | 'child',
  ) {
    super(
      role === 'callback'
        ? `Job ${id} waits for a group of jobs, so it has no time of its own. It runs when the group has ended.`
        : `Job ${id} is the child of a durable job that knows its outcome already. Retry that job, or copy this one.`,
    );
  }
}

/** The action does not apply to a durable job with stored steps. */
export class JobStepsError extends TableQueueError {
  static {
    brandError(this, 'JobStepsError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
    /** What was refused: another payload, or another time for a job that waits in a step. */
    readonly change: 'payload' | 'time',
  ) {
    super(
      change === 'payload'
        ? `Job ${id} has stored steps, whose results belong to its present payload. Copy it with the other payload instead.`
        : `Job ${id} waits in one of its steps, which decides when it goes on. Use jobs.runNow, or send its signal.`,
    );
  }
}

/** Another payload would give the job another unique key or order key. Only a new job can have it. */
export class JobKeyChangedError extends TableQueueError {
  static {
    brandError(this, 'JobKeyChangedError');
  }

  constructor(
    /** The id of the job. */
    readonly id: string,
    /** Which key. */
    readonly kind: 'unique key' | 'order key',
  ) {
    super(
      `With this payload, job ${id} would have another ${kind}, which its definition makes from the payload. Copy the ` +
        'job with this payload instead.',
    );
  }
}

/** Events and replays of events cannot be edited, copied or enqueued by hand. */
export class EventJobError extends TableQueueError {
  static {
    brandError(this, 'EventJobError');
  }

  constructor(
    /** The id of the job, or undefined for a new one. */
    readonly id: string | undefined,
  ) {
    super(
      `${id === undefined ? 'The job' : `Job ${id}`} is in the queue of published events. Publish the event again ` +
        'with queue.publish, or replay it with queue.subscriptions.replay.' +
        seeDocs('guides/publishing-events.md'),
    );
  }
}

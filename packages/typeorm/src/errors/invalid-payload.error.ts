import { TableQueueError } from './table-queue.error.js';

/** A problem that the schema has found. */
export interface PayloadIssue {
  /** The path in the payload, with dots; empty for the payload itself. */
  readonly path: string;
  /** The message of the schema. */
  readonly message: string;
}

/**
 * The schema of the job definition rejects the payload.
 *
 * `enqueue` throws it before anything is stored. If the schema has changed and rejects a stored payload when the job is
 * claimed, the job fails with it, without a retry, and keeps its payload in the history.
 */
export class InvalidPayloadError extends TableQueueError {
  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The problems that the schema has found. */
    readonly issues: readonly PayloadIssue[],
  ) {
    const findings = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
    super(`The payload of job "${jobName}" does not match its schema: ${findings}.`);
  }
}

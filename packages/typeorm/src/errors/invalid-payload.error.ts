import { TableQueueError } from './table-queue.error.js';

/** One finding of the job's schema. */
export interface PayloadIssue {
  /** Where in the payload, as a dotted path; empty for the payload itself. */
  readonly path: string;
  readonly message: string;
}

/**
 * The payload does not pass the schema of its job definition.
 *
 * Thrown by `enqueue`, before anything is stored. When it is found at claim (the schema changed after the job was
 * stored), the job fails without a retry and keeps its payload in the history.
 */
export class InvalidPayloadError extends TableQueueError {
  constructor(
    readonly jobName: string,
    readonly issues: readonly PayloadIssue[],
  ) {
    const findings = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
    super(`The payload of job "${jobName}" does not match its schema: ${findings}.`);
  }
}

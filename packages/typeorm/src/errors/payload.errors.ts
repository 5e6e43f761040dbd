import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
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
 * claimed, the job fails with it, without a retry, and keeps its payload.
 */
export class InvalidPayloadError extends TableQueueError {
  static {
    brandError(this, 'InvalidPayloadError');
  }

  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The problems that the schema has found. */
    readonly issues: readonly PayloadIssue[],
  ) {
    const findings = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
    super(
      `The payload of job "${jobName}" does not match its schema: ${findings}.` + seeDocs('guides/payload-versions.md'),
    );
  }
}

/** The payload, as it would be stored, is larger than `maxPayloadBytes`. Nothing was stored. */
export class PayloadTooLargeError extends TableQueueError {
  static {
    brandError(this, 'PayloadTooLargeError');
  }

  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The size of the stored text in bytes. */
    readonly bytes: number,
    /** The limit in bytes. */
    readonly limit: number,
    /** The id of the codec that has encoded it; undefined for JSON. */
    readonly codec?: string,
  ) {
    const stored = codec === undefined ? 'bytes of JSON' : `bytes, encoded by codec "${codec}"`;
    super(
      `The payload of job "${jobName}" is ${bytes} ${stored}, the limit is ${limit}. ` +
        'Store the data elsewhere and enqueue a reference to it, or raise "maxPayloadBytes".' +
        seeDocs('guides/codecs.md'),
    );
  }
}

/** The payload contains a value that JSON would change or drop. Nothing was stored. */
export class UnserializablePayloadError extends TableQueueError {
  static {
    brandError(this, 'UnserializablePayloadError');
  }

  constructor(
    /** The name of the job. */
    readonly jobName: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(
      `The payload of job "${jobName}" cannot be stored as JSON: ${reason}. ` +
        'Pass plain data: objects, arrays, strings, finite numbers, booleans, null.' +
        seeDocs('guides/enqueueing.md'),
      options,
    );
  }
}

/**
 * The error of a job whose payload is older than its definition can read. It is not retried, and keeps its payload. Add
 * the upcaster, then retry the job.
 */
export class MissingUpcasterError extends TableQueueError {
  static {
    brandError(this, 'MissingUpcasterError');
  }

  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The version of the payload. */
    readonly version: number,
    /** The version of the definition. */
    readonly currentVersion: number,
  ) {
    super(
      `The payload of job "${jobName}" has version ${version}, but its definition, of version ${currentVersion}, has ` +
        `no upcaster from ${version} to ${version + 1}. Add it, then retry the job with "queue.failed.retry".` +
        seeDocs('guides/payload-versions.md'),
    );
  }
}

/**
 * The error of a job whose upcaster has thrown; `cause` is that error. It is not retried, because the next attempt
 * would fail the same way. The stored payload is unchanged.
 */
export class UpcasterFailedError extends TableQueueError {
  static {
    brandError(this, 'UpcasterFailedError');
  }

  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The version that the upcaster converts. */
    readonly version: number,
    options: ErrorOptions,
  ) {
    super(
      `The upcaster of job "${jobName}" from version ${version} to ${version + 1} failed.` +
        seeDocs('guides/payload-versions.md'),
      options,
    );
  }
}

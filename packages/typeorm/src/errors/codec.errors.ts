import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/**
 * A codec could not encode a value; `cause` is its error. Thrown by `enqueue`, `signal` and `recurring.set`: nothing
 * was stored.
 */
export class EncodeFailedError extends TableQueueError {
  static {
    brandError(this, 'EncodeFailedError');
  }

  constructor(
    /** The id of the codec. */
    readonly codec: string,
    /** The value: `payload of job "mail.send"`. */
    readonly value: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(
      `The codec "${codec}" could not encode the ${value}: ${reason}. Correct the codec.` + seeDocs('guides/codecs.md'),
      options,
    );
  }
}

/**
 * A codec could not decode a stored value; `cause` is its error. A job that needs the value fails without a retry, and
 * keeps it. Restore the key or the stored object, then retry the job.
 */
export class DecodeFailedError extends TableQueueError {
  static {
    brandError(this, 'DecodeFailedError');
  }

  constructor(
    /** The id of the codec. */
    readonly codec: string,
    /** The value: `payload of job "mail.send"`. */
    readonly value: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(
      `The codec "${codec}" could not decode the ${value}: ${reason}. ` +
        'Give the codec the key that encoded it, then retry the job with "queue.failed.retry".' +
        seeDocs('guides/codecs.md'),
      options,
    );
  }
}

/**
 * A stored value was written by a codec that this process does not have. A worker leaves such a job to other processes:
 * a newer deployment may have the codec.
 */
export class UnknownCodecError extends TableQueueError {
  static {
    brandError(this, 'UnknownCodecError');
  }

  constructor(
    /** The id of the codec. */
    readonly codec: string,
    /** The value: `payload of job "mail.send"`. */
    readonly value: string,
  ) {
    super(
      `The ${value} was written by the codec "${codec}", which this process does not have. ` +
        'Add it to "codec" of the queue, or deploy the version that has it.' +
        seeDocs('guides/codecs.md'),
    );
  }
}

/** `jobs.search` was asked to search payloads, but a codec of the queue encodes them: their texts cannot be found. */
export class EncodedPayloadsError extends TableQueueError {
  static {
    brandError(this, 'EncodedPayloadsError');
  }

  constructor(
    /** The id of the codec. */
    readonly codec: string,
  ) {
    super(
      `The payloads cannot be searched, because the codec "${codec}" of the queue encodes them. ` +
        'Search without "payload", or give the jobs a key with what you search for.' +
        seeDocs('guides/codecs.md'),
    );
  }
}

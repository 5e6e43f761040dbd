import { TableQueueError } from './table-queue.error.js';

/** A statement was larger than `max_allowed_packet` of the server. Nothing was stored. */
export class StatementTooLargeError extends TableQueueError {
  constructor(what: string, cause: unknown) {
    super(
      `Cannot ${what}: the statement is larger than the server's max_allowed_packet. Raise that, or lower ` +
        '"maxPayloadBytes" so that large payloads and results are rejected before they are sent.',
      { cause },
    );
  }
}

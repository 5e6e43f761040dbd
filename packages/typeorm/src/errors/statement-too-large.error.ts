import { TableQueueError } from './table-queue.error.js';

/** The server takes no statement of this size: its `max_allowed_packet`. Nothing was stored. */
export class StatementTooLargeError extends TableQueueError {
  constructor(what: string, cause: unknown) {
    super(
      `Cannot ${what}: the statement is larger than the server's max_allowed_packet. Raise that, or lower ` +
        '"maxPayloadBytes" so that payloads and results are refused before they are sent.',
      { cause },
    );
  }
}

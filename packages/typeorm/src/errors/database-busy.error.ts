import { TableQueueError } from './table-queue.error.js';

/**
 * SQLite only: a transaction stayed open on the application's connection, or another process kept the file
 * locked, for longer than the queue waits. Nothing was stored.
 */
export class DatabaseBusyError extends TableQueueError {
  constructor(
    what: string,
    /** How long it waited, in ms. */
    readonly waited: number,
    cause?: unknown,
  ) {
    super(
      `Cannot ${what}: for ${waited} ms a transaction was open on this SQLite connection, or the file was locked. ` +
        'If this call stands inside that transaction, pass it on: { manager } or { queryRunner }.',
      { cause },
    );
  }
}

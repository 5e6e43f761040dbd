import { TableQueueError } from './table-queue.error.js';

/** The connections of the application's data source have a setting under which the queue's statements would do harm. */
export class UnsupportedSessionError extends TableQueueError {
  /** @param setting as the server shows it: `sql_mode = NO_BACKSLASH_ESCAPES`. */
  constructor(
    readonly setting: string,
    consequence: string,
    advice: string,
  ) {
    super(`Tablequeue cannot use a connection with ${setting}: ${consequence}. ${advice}`);
  }
}

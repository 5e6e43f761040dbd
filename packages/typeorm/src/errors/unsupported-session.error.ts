import { TableQueueError } from './table-queue.error.js';

/** The connections of the data source have a setting that breaks the statements of the queue. */
export class UnsupportedSessionError extends TableQueueError {
  constructor(
    /** The setting, as the server shows it: `sql_mode = NO_BACKSLASH_ESCAPES`. */
    readonly setting: string,
    consequence: string,
    advice: string,
  ) {
    super(`Tablequeue cannot use a connection with ${setting}: ${consequence}. ${advice}`);
  }
}

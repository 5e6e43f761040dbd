import { DatabaseUnavailableError } from './database-unavailable.error.js';

/**
 * The database has no room for what was to be stored: the disk is full, or the space that its tables may use. It took no
 * effect. Workers write down what has ended as soon as there is room.
 */
export class DatabaseFullError extends DatabaseUnavailableError {
  constructor(what: string, cause: unknown) {
    super(
      what,
      cause,
      'Make room on the disk of the database, or let its files grow. Jobs that have ended may be pruned.',
    );
  }
}

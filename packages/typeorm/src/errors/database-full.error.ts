import { DatabaseUnavailableError } from './database-unavailable.error.js';

/**
 * The disk of the database is full, or the space of its tables. The call took no effect. Workers store the outcomes of
 * finished jobs as soon as there is space.
 */
export class DatabaseFullError extends DatabaseUnavailableError {
  constructor(what: string, cause: unknown) {
    super(what, cause, 'Free space on the disk of the database, or let its files grow. You can prune finished jobs.');
  }
}

import { DatabaseBusyError } from './database-busy.error.js';
import { DatabaseUnavailableError } from './database-unavailable.error.js';
import { MissingTablesError } from './missing-tables.error.js';

/** Whether an error is about the database as a whole, and so may be over later, not about what was written. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError ||
    error instanceof DatabaseBusyError ||
    error instanceof MissingTablesError
  );
}

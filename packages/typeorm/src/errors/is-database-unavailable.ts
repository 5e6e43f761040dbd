import { DatabaseBusyError } from './database-busy.error.js';
import { DatabaseUnavailableError } from './database-unavailable.error.js';
import { MissingPrivilegeError } from './missing-privilege.error.js';
import { MissingTablesError } from './missing-tables.error.js';

/**
 * Returns whether an error comes from the state of the database and not from the values of the call: the same call may
 * succeed later.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError ||
    error instanceof DatabaseBusyError ||
    error instanceof MissingPrivilegeError ||
    error instanceof MissingTablesError
  );
}

import { QueryFailedError } from 'typeorm';

/** The properties of an error in which drivers and TypeORM keep the values of a statement. */
interface StatementError {
  parameters?: unknown;
  sql?: unknown;
}

/**
 * Removes the values of a statement of the queue from its error. They are payloads, results and keys, and must not
 * reach a log. mysql2 keeps the statement with its values in it.
 */
export function withoutValues(error: unknown): unknown {
  if (error instanceof QueryFailedError) {
    strip(error as StatementError);
    strip(error.driverError as StatementError);
  } else if (error instanceof Error) {
    strip(error as StatementError);
  }
  return error;
}

function strip(error: StatementError): void {
  if ('parameters' in error) {
    error.parameters = [];
  }
  if ('sql' in error) {
    delete error.sql;
  }
}

import { QueryFailedError } from 'typeorm';

/** What drivers and TypeORM keep of a statement in its error, besides its text. */
interface StatementError {
  parameters?: unknown;
  sql?: unknown;
}

/**
 * An error of one of the queue's own statements without the values of that: they are payloads, results and keys, and
 * whoever logs an error with all its properties would log them too. mysql2 keeps the statement with its values in it.
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

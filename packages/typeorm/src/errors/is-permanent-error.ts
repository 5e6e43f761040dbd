import { StatementTooLargeError, ValueRefusedError } from './database.errors.js';

/** Returns whether an error is about the written values, so that a later try fails too. */
export function isPermanentError(error: unknown): boolean {
  return (
    error instanceof ValueRefusedError ||
    error instanceof StatementTooLargeError ||
    // A text that is too long for JavaScript or the driver.
    error instanceof RangeError
  );
}

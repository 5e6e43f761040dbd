import { StatementTooLargeError } from './statement-too-large.error.js';
import { ValueRefusedError } from './value-refused.error.js';

/** Whether an error is about what was to be written, and so will not be over later. */
export function isAboutValue(error: unknown): boolean {
  return (
    error instanceof ValueRefusedError ||
    error instanceof StatementTooLargeError ||
    // A text that is too long for JavaScript, or for the driver.
    error instanceof RangeError
  );
}

import { resultToJson } from '../../definition/json-text.js';
import type { StepCause } from '../../errors/index.js';
import { messageOf } from '../../errors/thrown.js';
import type { Redact } from '../../redaction.js';

/** The longest message of a stored error, in characters. */
const LONGEST_MESSAGE = 4_096;

/** The error of a step whose error is not stored. */
export const UNKNOWN_CAUSE: StepCause = { name: 'Error', message: 'unknown' };

/**
 * Returns a value as JSON text; null for undefined.
 *
 * @throws TypeError for a value that JSON cannot hold.
 */
export function jsonOfValue(value: unknown): string | null {
  const text = resultToJson(value);
  // A lone surrogate cannot be stored.
  return text === null || text.isWellFormed() ? text : text.toWellFormed();
}

/** @throws RangeError for a stored text that is larger than the limit. */
export function assertValueSize(stored: string | null, maxBytes: number): void {
  const bytes = stored !== null && stored.length * 3 > maxBytes ? Buffer.byteLength(stored) : 0;
  if (bytes > maxBytes) {
    throw new RangeError(`it is ${bytes} bytes as it is stored, the limit is ${maxBytes}`);
  }
}

/** The reverse of `jsonOfValue`: what JSON has made of the value. */
export function decodeValue(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}

/** The error of a step as it is stored. */
export function causeOf(error: Error, redact: Redact): StepCause {
  const name = propertyOf(error, 'name');
  const code = propertyOf(error, 'code');
  const message = redact(messageOf(error)).replaceAll('\0', '').toWellFormed().slice(0, LONGEST_MESSAGE);
  return {
    name: typeof name === 'string' ? name : UNKNOWN_CAUSE.name,
    message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
  };
}

/** Undefined also for a property whose getter throws: the step is retried all the same. */
function propertyOf(error: Error, property: 'name' | 'code'): unknown {
  try {
    return (error as { readonly name: unknown; readonly code?: unknown })[property];
  } catch {
    return undefined;
  }
}

import type { StepCause } from '../../errors/index.js';
import { messageOf } from '../../errors/thrown.js';
import type { Redact } from '../../redaction.js';

/** The longest message of a stored error, in characters. */
const LONGEST_MESSAGE = 4_096;

/**
 * Returns a value as JSON text; null for undefined.
 *
 * @throws TypeError for a value without JSON, RangeError for one that is larger than the limit.
 */
export function encodeValue(value: unknown, maxBytes: number): string | null {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) {
    return null;
  }
  const bytes = text.length * 3 > maxBytes ? Buffer.byteLength(text) : 0;
  if (bytes > maxBytes) {
    throw new RangeError(`it is ${bytes} bytes of JSON, the limit is ${maxBytes}`);
  }
  // A lone surrogate cannot be stored.
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** The reverse of `encodeValue`: what JSON has made of the value. */
export function decodeValue(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}

/** The error of a step as it is stored. */
export function causeOf(error: Error, redact: Redact): StepCause {
  const { code } = error as { code?: unknown };
  const message = redact(messageOf(error)).replaceAll('\0', '').toWellFormed().slice(0, LONGEST_MESSAGE);
  return {
    name: error.name,
    message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
  };
}

/** Reads a stored error. */
export function causeOfText(text: string | null): StepCause {
  return text === null ? { name: 'Error', message: 'unknown' } : (JSON.parse(text) as StepCause);
}

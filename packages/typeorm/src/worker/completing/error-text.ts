import { isNativeError } from 'node:util/types';

import { isEncoded, notEncoded } from '../../codec/encoded-text.js';
import { messageWithDetails, valueText } from '../../errors/thrown.js';
import { type Redact, unredacted } from '../../redaction.js';

/** The longest stored text of an error, in characters. */
const LONGEST = 16_384;
/** How many errors are included: the thrown one, its causes, and the errors of an `AggregateError`. */
const MOST_ERRORS = 8;

/**
 * The text of an error that is stored with its job: the stack, with name and message, then the errors of an
 * `AggregateError` and the causes. Never throws.
 */
export function errorText(error: Error, redact: Redact = unredacted): string {
  try {
    const parts: string[] = [];
    addError(parts, error, '');
    // Before it is cut: redaction may not recognize half a secret.
    return bounded(redact(parts.join('\n')));
  } catch {
    // A getter of the error's own has thrown.
    return 'An error whose text cannot be read.';
  }
}

/** The text in ASCII, which every character set has. Part of an encoded text is worth nothing. */
export function plainText(text: string): string {
  return isEncoded(text)
    ? 'The error could not be stored as its codec has encoded it.'
    : bounded(text.replaceAll(/[^\t\n\x20-\x7e]/g, '?'));
}

function addError(parts: string[], thrown: unknown, prefix: string): void {
  if (parts.length === MOST_ERRORS) {
    return;
  }
  if (!isError(thrown)) {
    const text = valueText(thrown);
    // `toError` has put the value into the message already.
    if (!parts.at(-1)?.includes(text)) {
      parts.push(prefix + text);
    }
    return;
  }
  parts.push(prefix + stackOf(thrown));
  const { errors, cause }: { errors?: unknown; cause?: unknown } = thrown;
  if (Array.isArray(errors)) {
    errors.forEach((each: unknown) => addError(parts, each, 'one of its errors: '));
  }
  if (cause !== undefined && cause !== null) {
    addError(parts, cause, 'caused by: ');
  }
}

function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || isNativeError(value);
  } catch {
    // A revoked proxy.
    return false;
  }
}

/** The stack with the error's current message. A stack has the message that was known when the error was made. */
function stackOf(error: Error): string {
  const message = messageWithDetails(error);
  const stack: unknown = error.stack;
  if (typeof stack === 'string' && stack.includes(message)) {
    return stack;
  }
  const frames = typeof stack === 'string' ? /^ +at .*/ms.exec(stack)?.[0] : undefined;
  return [`${error.name}: ${message}`, ...(frames ? [frames] : [])].join('\n');
}

function bounded(text: string): string {
  const stored = notEncoded(text.replaceAll('\0', '\\0').toWellFormed());
  return stored.length <= LONGEST
    ? stored
    : `${stored.slice(0, LONGEST)}\n… ${stored.length - LONGEST} more characters`;
}

import { type Redact, unredacted } from '../../redaction.js';

/** The longest stored text of an error, in characters. */
const LONGEST = 16_384;
/** How many causes of an error are included. */
const MOST_CAUSES = 5;

/** The text of an error that is stored with its job: the stack, with name and message, and the causes. Never throws. */
export function errorText(error: Error, redact: Redact = unredacted): string {
  try {
    const parts: string[] = [];
    for (
      let current: unknown = error;
      current instanceof Error && parts.length < MOST_CAUSES;
      current = current.cause
    ) {
      parts.push(current.stack ?? `${current.name}: ${current.message}`);
    }
    // Before it is cut: redaction may not recognize half a secret.
    return bounded(redact(parts.join('\ncaused by: ')));
  } catch {
    // A getter of the error's own has thrown.
    return 'An error whose text cannot be read.';
  }
}

/** The text in ASCII, which every character set has. */
export function plainText(text: string): string {
  return bounded(text.replaceAll(/[^\t\n\x20-\x7e]/g, '?'));
}

/** The message of a thrown value. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    const { message }: { message: unknown } = toError(thrown);
    return String(message);
  } catch {
    return 'an error whose text cannot be read';
  }
}

/** Turns a thrown value into an error. Never throws. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) {
    return thrown;
  }
  try {
    return new Error(`A value that is no Error was thrown: ${String(thrown)}`, { cause: thrown });
  } catch {
    return new Error('A value that is no Error and has no text was thrown.');
  }
}

function bounded(text: string): string {
  const stored = text.replaceAll('\0', '\\0').toWellFormed();
  return stored.length <= LONGEST
    ? stored
    : `${stored.slice(0, LONGEST)}\n… ${stored.length - LONGEST} more characters`;
}

import { type Redact, unredacted } from '../../redaction.js';

/** How much of an error's text is kept, in characters. */
const LONGEST = 16_384;
/** How many causes of an error are told. */
const MOST_CAUSES = 5;

/** An error as it is stored with its job: the stack, which begins with name and message, and its causes. Never throws. */
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
    // Before it is cut: half a secret may not be known for one.
    return bounded(redact(parts.join('\ncaused by: ')));
  } catch {
    // A getter of the error's own has thrown.
    return 'An error whose text cannot be read.';
  }
}

/** The same in the letters that every character set has. */
export function plainText(text: string): string {
  return bounded(text.replaceAll(/[^\t\n\x20-\x7e]/g, '?'));
}

/** What was thrown, in its own words. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    const { message }: { message: unknown } = toError(thrown);
    return String(message);
  } catch {
    return 'an error whose text cannot be read';
  }
}

/** Whatever was thrown, as an error. Never throws. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) {
    return thrown;
  }
  try {
    return new Error(`Thrown, and not an Error: ${String(thrown)}`, { cause: thrown });
  } catch {
    return new Error('Something was thrown that is not an Error and has no text.');
  }
}

function bounded(text: string): string {
  const stored = text.replaceAll('\0', '\\0').toWellFormed();
  return stored.length <= LONGEST
    ? stored
    : `${stored.slice(0, LONGEST)}\n… ${stored.length - LONGEST} more characters`;
}

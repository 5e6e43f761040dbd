/** Takes out of a text what nobody is to read: see `TableQueueOptions.redact`. */
export type Redact = (text: string) => string;

/** Leaves every text as it is. */
export const unredacted: Redact = (text) => text;

/** A redaction that never throws. Where it fails nothing of the text is kept: it may be what was to be taken out. */
export function safeRedact(redact: Redact): Redact {
  return (text) => {
    try {
      const redacted: unknown = redact(text);
      return typeof redacted === 'string' ? redacted : FAILED;
    } catch {
      return FAILED;
    }
  };
}

const FAILED = 'This text could not be redacted and was left out.';

/** An error for others to read: its name, message and stack, redacted, and nothing else of it. */
export function redactedError(error: Error, redact: Redact): Error {
  if (redact === unredacted) {
    return error;
  }
  const copy = new Error(redact(textOf(() => error.message)));
  copy.name = redact(textOf(() => error.name));
  copy.stack = redact(textOf(() => error.stack ?? error.message));
  return copy;
}

function textOf(read: () => unknown): string {
  try {
    return String(read());
  } catch {
    return '';
  }
}

/** Removes secrets from a text: see `TableQueueOptions.redact`. */
export type Redact = (text: string) => string;

/** Returns every text unchanged. */
export const unredacted: Redact = (text) => text;

/** Makes a redaction that never throws. If it fails, the whole text is left out, as it may contain secrets. */
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

/** Returns a copy of an error with only its name, message and stack, redacted. */
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

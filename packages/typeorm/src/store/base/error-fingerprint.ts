import { createHash } from 'node:crypto';

/** How many characters of an error are read to compare it with others. */
export const COMPARED_CHARACTERS = 1_000;
/** The longest title of an error, in characters. */
const TITLE_LENGTH = 300;

/**
 * What differs between errors with the same cause, in this order: later patterns match what earlier ones have left. The
 * method is Sentry's "parameterization" of messages (src/sentry/grouping/parameterization.py).
 */
const VARIABLES: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, '<email>'],
  [/\b[a-z][a-z+.-]{1,15}:\/\/[^\s"'`<>()]+/gi, '<url>'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<uuid>'],
  [/"[^"]*"|`[^`]*`|“[^”]*”|(?<!\w)'[^']*'(?!\w)/g, '<value>'],
  [/\b0x[\da-f]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,}\b/gi, '<hex>'],
  [/\d+(?:[.,:]\d+)*/g, '<number>'],
];

/** The part of an error that all errors with the same cause share. */
export interface ErrorIdentity {
  /** A hash of the title: 16 hexadecimal digits. */
  readonly fingerprint: string;
  /** The name and the first line of the message, with placeholders for what differs. */
  readonly title: string;
}

/**
 * Identifies an error by its name and the first line of its message. Numbers, UUIDs, hexadecimal numbers, quoted values,
 * addresses of e-mail and URLs are replaced by placeholders.
 *
 * @param text the stored error, or at least its first `COMPARED_CHARACTERS`. Not the text of a codec.
 */
export function identifyError(text: string): ErrorIdentity {
  const [line = ''] = text.slice(0, COMPARED_CHARACTERS).trimStart().split(/\r?\n/, 1);
  const title = VARIABLES.reduce((rest, [pattern, placeholder]) => rest.replace(pattern, placeholder), line)
    .slice(0, TITLE_LENGTH)
    .trim();
  return { fingerprint: createHash('sha256').update(title).digest('hex').slice(0, 16), title };
}

import { isEncoded } from '../../../codec/encoded-text.js';
import { UndecodedValue } from '../../../codec/undecoded-value.js';

/**
 * Parses a stored JSON text. A text that is no JSON, because other SQL has changed it, is returned as it is: one such
 * row must not hide the other jobs of a list.
 *
 * @returns undefined for null; an `UndecodedValue` for a text that a codec has written.
 */
export function storedValue(text: unknown): unknown {
  if (typeof text !== 'string') {
    return undefined;
  }
  if (isEncoded(text)) {
    return new UndecodedValue(text);
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Parses a stored JSON text. A text that is no JSON, because other SQL has changed it, is returned as it is: one such
 * row must not hide the other jobs of a list.
 *
 * @returns undefined for null.
 */
export function storedValue(text: unknown): unknown {
  if (typeof text !== 'string') {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Begins each value that a codec has written: `codec:<id>,<text>`. No JSON text begins like this. */
const PREFIX = 'codec:';

/** A stored value that a codec has written. */
export interface EncodedText {
  /** The id of the codec. */
  readonly codec: string;
  /** What the codec has returned. */
  readonly text: string;
}

/** Whether a codec has written a stored text. */
export function isEncoded(stored: string): boolean {
  return stored.startsWith(PREFIX);
}

/** Reads a stored text for which `isEncoded` is true. */
export function readEncoded(stored: string): EncodedText {
  const comma = stored.indexOf(',');
  const end = comma === -1 ? stored.length : comma;
  return { codec: stored.slice(PREFIX.length, end), text: stored.slice(end + 1) };
}

/** The text to store. */
export function writeEncoded({ codec, text }: EncodedText): string {
  return `${PREFIX}${codec},${text}`;
}

/** A text that is stored as it is, and is no JSON, must not look like an encoded one. */
export function notEncoded(text: string): string {
  return isEncoded(text) ? ` ${text}` : text;
}

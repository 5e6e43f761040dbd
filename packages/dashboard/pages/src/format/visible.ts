/**
 * Control, format and bidirectional characters, line separators and lone surrogates: they are invisible, or change how
 * the text around them looks. Except tabs, line feeds, and the joiners of emoji and of some scripts.
 */
const INVISIBLE = /(?![\t\n\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Replaces characters that are invisible, or that reorder a text, by their escapes: `\u202E`. */
export const visible = (text: string): string => text.replaceAll(INVISIBLE, escapeOf);

/** The same for JSON: its escapes are read as the characters again. */
export const visibleJson = (json: string): string =>
  json.replaceAll(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeOfUnit(character.charCodeAt(index))).join(''),
  );

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xff_ff ? `\\u{${code.toString(16).toUpperCase()}}` : escapeOfUnit(code);
}

function escapeOfUnit(code: number): string {
  return `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

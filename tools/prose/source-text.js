import jsTokens from 'js-tokens';
import { mask, maskCode } from './mask.js';

const STRINGS = new Set([
  'StringLiteral',
  'JSXString',
  'JSXText',
  'NoSubstitutionTemplate',
  'TemplateHead',
  'TemplateMiddle',
  'TemplateTail',
]);

/**
 * Returns the prose of a TypeScript or JavaScript file: comments, and strings of at least three words.
 * Each piece keeps the length of its source, so that an offset in it points at the source.
 */
export function proseOfSource(source, { jsx }) {
  const pieces = [];
  let offset = 0;
  for (const token of jsTokens(source, { jsx })) {
    const piece = pieceOf(token, offset);
    if (piece !== undefined && !appendToLineComments(pieces, piece, source)) pieces.push(piece);
    offset += token.value.length;
  }
  return pieces.map(({ kind, text, offset: start }) => ({
    kind: kind === 'string' ? 'string' : 'comment',
    text: kind === 'string' ? mask(text, /\\[nrt]/g) : withoutCommentSigns(text),
    offset: start,
  }));
}

function pieceOf({ type, value }, offset) {
  if (type === 'SingleLineComment') return { kind: 'line', text: value, offset };
  if (type === 'MultiLineComment') return { kind: 'block', text: value, offset };
  if (!STRINGS.has(type)) return undefined;
  const isTemplate = type.startsWith('Template') || type === 'JSXText';
  return isTemplate || /\S\s+\S+\s+\S/.test(value) ? { kind: 'string', text: value, offset } : undefined;
}

/** Comments on successive lines read as one text. */
function appendToLineComments(pieces, piece, source) {
  const last = pieces.at(-1);
  if (piece.kind !== 'line' || last?.kind !== 'line') return false;
  const between = source.slice(last.offset + last.text.length, piece.offset);
  if (!/^[ \t]*\r?\n[ \t]*$/.test(between)) return false;
  last.text += between + piece.text;
  return true;
}

function withoutCommentSigns(text) {
  const plain = mask(text, /^\/\*+|\*+\/$|^[ \t]*\/\/+|(?<=\n)[ \t]*(?:\/\/+|\*+(?!\/))/g);
  return maskCode(mask(plain, /\{@\w+\s+|(?<=\{@\w+\s+[^}|]*)\|?[^{}|]*\}/g));
}

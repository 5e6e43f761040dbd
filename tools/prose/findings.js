import { ALLOWED } from './allowed.js';
import { BANNED_PHRASES, REPLACED_NAMES } from './banned.js';
import { proseOf } from './prose-of.js';
import { sentencesOfComment, sentencesOfMarkdown } from './sentences.js';

/** A reader keeps about as many words in mind; most sentences should have fewer than twenty. */
export const LONGEST_SENTENCE = 30;

const phrases = BANNED_PHRASES.map(({ find, write }) => ({ write, pattern: phrasePattern(find) }));
const names = REPLACED_NAMES.map(({ find, write }) => ({
  write,
  pattern: new RegExp(`(?<!\\w)(?:${find})(?!\\w)`, 'g'),
}));

/** Returns what is wrong with the prose of a file, in the order of its lines. */
export function findingsOf(path, source, usedAllowances = new Set()) {
  const isMarkdown = path.endsWith('.md');
  const pieces = proseOf(path, source);
  const matches = [
    ...pieces.flatMap((piece) => matchesOf(betweenBlocks(piece.text), phrases, piece.offset)),
    ...matchesOf(source, names, 0),
  ].filter((match) => !isAllowed(path, source, match, usedAllowances));
  const sentences = isMarkdown ? sentencesOfMarkdown(source) : sentencesOfComments(pieces);
  const lineOf = lineFinder(source);
  return [...matches.map(toFinding), ...[...sentences].filter(({ words }) => words > LONGEST_SENTENCE).map(tooLong)]
    .map(({ offset, message }) => ({ line: lineOf(offset), message }))
    .toSorted((a, b) => a.line - b.line);
}

function phrasePattern(find) {
  return new RegExp(`(?<![\\w-])(?:${find.replaceAll(' ', '\\s+')})(?![\\w-])`, 'giu');
}

/** An empty line ends a sentence, also one without a full stop. */
function betweenBlocks(text) {
  return text.replace(/\n(?=[ \t]*\n)/g, '¶');
}

function matchesOf(text, rules, offset) {
  return rules.flatMap(({ pattern, write }) =>
    [...text.matchAll(pattern)].map((match) => ({ offset: offset + match.index, text: match[0], write })),
  );
}

function isAllowed(path, source, { offset, text }, usedAllowances) {
  const allowance = ALLOWED.find(
    (allowed) =>
      (path === allowed.path || path.startsWith(`${allowed.path}/`)) &&
      source.slice(offset - allowed.text.length, offset + text.length + allowed.text.length).includes(allowed.text),
  );
  if (allowance !== undefined) usedAllowances.add(allowance);
  return allowance !== undefined;
}

function* sentencesOfComments(pieces) {
  for (const { kind, text, offset } of pieces) {
    if (kind !== 'comment') continue;
    for (const sentence of sentencesOfComment(text)) yield { ...sentence, offset: offset + sentence.offset };
  }
}

function toFinding({ offset, text, write }) {
  return { offset, message: `"${text.replace(/\s+/g, ' ')}": write ${write}` };
}

function tooLong({ offset, words, text }) {
  const beginning = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return { offset, message: `a sentence of ${words} words, at most ${LONGEST_SENTENCE}: "${beginning}"` };
}

function lineFinder(source) {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let line = 0;
    for (let step = 1 << 20; step > 0; step >>= 1) if (starts[line + step] <= offset) line += step;
    return line + 1;
  };
}

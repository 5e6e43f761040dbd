import { parseMarkdown, visit } from './markdown-text.js';

const TEXT_BLOCKS = new Set(['paragraph', 'heading', 'tableCell']);
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Returns the sentences of a Markdown file with their word counts and offsets. */
export function sentencesOfMarkdown(source) {
  return sentencesOfText(source, 0);
}

/** Returns the sentences of a comment. Its `@param` or `@throws` begins a text of its own. */
export function* sentencesOfComment(text) {
  const tags = [...text.matchAll(/(?<=\n)[ \t]*@\w+/g)].map(({ index }) => index);
  const starts = [0, ...tags];
  for (const [index, start] of starts.entries())
    yield* sentencesOfText(unindented(text.slice(start, starts[index + 1])), start);
}

/** Markdown takes a text that is indented by four spaces for code. */
function unindented(text) {
  return text.replace(/^[ \t]+(?=[^\s\-*\d|])/gm, (indent) => '\u00A0'.repeat(indent.length));
}

function* sentencesOfText(text, start) {
  const blocks = [];
  visit(parseMarkdown(text), (node) => {
    if (TEXT_BLOCKS.has(node.type)) blocks.push(node);
  });
  for (const block of blocks) yield* sentencesOfBlock(block, start);
}

function* sentencesOfBlock(block, start) {
  const { text, shape, offsetOf } = textOf(block, start);
  for (const { segment, index } of segmenter.segment(shape)) {
    const words = segment.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const first = segment.search(/\S/);
    if (first < 0) continue;
    const sentence = text
      .slice(index, index + segment.length)
      .trim()
      .replace(/\s+/g, ' ');
    yield { words, text: sentence, offset: offsetOf(index + first) };
  }
}

/** Returns the text of a block, and its shape: the same with each inline code as one word that can begin a sentence. */
function textOf(block, start) {
  const runs = [];
  let text = '';
  let shape = '';
  visit(block, (node) => {
    const value = node.type === 'text' || node.type === 'inlineCode' ? node.value : node.type === 'break' ? ' ' : '';
    if (value === '') return;
    runs.push([text.length, start + node.position.start.offset]);
    text += value;
    shape += node.type === 'inlineCode' ? 'X'.padEnd(value.length, 'x') : value.replace(/\s/g, ' ');
  });
  const offsetOf = (index) => {
    const [at, offset] = runs.findLast(([begin]) => begin <= index) ?? [0, start];
    return offset + index - at;
  };
  return { text, shape, offsetOf };
}

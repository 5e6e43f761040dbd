import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { mask } from './mask.js';
import { proseOfSource } from './source-text.js';

const SOURCE_BLOCKS = new Set(['ts', 'tsx', 'js', 'typescript', 'javascript']);

/** Returns the prose of a Markdown file: its text without code, addresses and tags, and the comments in its samples. */
export function proseOfMarkdown(source) {
  const hidden = [];
  const pieces = [];
  visit(parseMarkdown(source), (node) => {
    const [start, end] = rangeOf(node);
    if (node.type === 'code') {
      hidden.push([start, end, ' ']);
      if (SOURCE_BLOCKS.has(node.lang)) pieces.push(...commentsOfSample(source, start, end));
    }
    if (node.type === 'html' || node.type === 'definition') hidden.push([start, end, ' ']);
    if (node.type === 'inlineCode') hidden.push([start, end, 'x']);
    if (node.type === 'link' || node.type === 'image') hidden.push([lastEnd(node, start), end, ' ']);
  });
  return [{ kind: 'markdown', text: hide(source, hidden), offset: 0 }, ...pieces];
}

/** Lets a `:::` container's content be read as ordinary blocks. Offsets stay. */
export function parseMarkdown(source) {
  const frontMatter = /^---\n[\s\S]*?\n---\n/;
  const text = mask(mask(source, frontMatter), /^[ \t]*:::.*$/gm);
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

export function visit(node, see) {
  see(node);
  for (const child of node.children ?? []) visit(child, see);
}

export function rangeOf(node) {
  return [node.position.start.offset, node.position.end.offset];
}

function lastEnd(node, start) {
  const last = node.children?.at(-1);
  return last === undefined ? start : rangeOf(last)[1];
}

function commentsOfSample(source, start, end) {
  return proseOfSource(
    source.slice(start, end).replace(/^[^\n]*/, (fence) => ' '.repeat(fence.length)),
    { jsx: false },
  )
    .filter(({ kind }) => kind === 'comment')
    .map((piece) => ({ ...piece, offset: piece.offset + start }));
}

function hide(source, ranges) {
  const texts = [];
  let at = 0;
  for (const [start, end, fill] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start < at) continue;
    texts.push(source.slice(at, start), mask(source.slice(start, end), /[\s\S]+/g, fill));
    at = end;
  }
  return texts.join('') + source.slice(at);
}

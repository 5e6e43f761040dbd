import { maskCode } from './mask.js';
import { proseOfMarkdown } from './markdown-text.js';
import { proseOfSource } from './source-text.js';

const COMMENTS = { css: /\/\*[\s\S]*?\*\//g, html: /<!--[\s\S]*?-->/g };

/** Which files have prose that is checked. */
export function hasProse(path) {
  return /\.(?:[cm]?[jt]s|[jt]sx|md|css|html)$|(?:^|\/)package\.json$/.test(path);
}

/** Returns the prose of a file: pieces that are as long as their source, with their kind and their offset. */
export function proseOf(path, source) {
  const extension = path.slice(path.lastIndexOf('.') + 1);
  if (extension === 'md') return proseOfMarkdown(source);
  const pattern = COMMENTS[extension];
  if (pattern === undefined) return proseOfSource(source, { jsx: /^[jt]sx$/.test(extension) });
  return [...source.matchAll(pattern)].map(({ 0: text, index }) => ({
    kind: 'comment',
    text: maskCode(text),
    offset: index,
  }));
}

import { expect, test } from '@jest/globals';

import { visible, visibleJson } from './visible.js';

test.each([
  ['invoice\u202Efdp.exe', 'invoice\\u202Efdp.exe'],
  ['a\u2066b\u2069', 'a\\u2066b\\u2069'],
  ['zero\u200Bwidth\uFEFF', 'zero\\u200Bwidth\\uFEFF'],
  ['escape\u001B, CR\r, delete\u007F, next line\u0085', 'escape\\u001B, CR\\u000D, delete\\u007F, next line\\u0085'],
  ['lines\u2028and\u2029paragraphs', 'lines\\u2028and\\u2029paragraphs'],
  ['half \uD83D', 'half \\uD83D'],
  ['tag \u{E0041}', 'tag \\u{E0041}'],
])('%j is shown as %s', (text, shown) => expect(visible(text)).toBe(shown));

test.each(['tab\tand\nline', 'ü 鍵', '👩‍👩‍👧 ❤️'])('%s stays as it is', (text) => expect(visible(text)).toBe(text));

test.each(['invoice\u202Efdp.exe', 'tag \u{E0041}', 'half \uD83D', 'tab\tand\nline'])(
  '%j stays the same as JSON',
  (text) => {
    const json = visibleJson(JSON.stringify({ text }, null, 2));
    expect(json).not.toMatch(/[\u202E\u{E0041}]/u);
    expect(JSON.parse(json)).toEqual({ text });
  },
);

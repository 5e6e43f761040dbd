import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';

const GUARANTEES = new URL('../../docs/internals/guarantees.md', import.meta.url);

const text = await readFile(GUARANTEES, 'utf8');
/** The sections, without the last one, about what is not promised. */
const promises = text.split(/^## /m).slice(1, -1);
const references = [...text.matchAll(/^- `([a-z-]+\/[a-z-]+)`: (.+)$/gm)].map(([, file = '', title = '']) => ({
  file,
  title,
}));

describe('docs/internals/guarantees.md', () => {
  test('has a test for each promise', () => {
    const bare = promises.filter((promise) => !/^- `[a-z-]+\/[a-z-]+`: /m.test(promise));
    expect(bare.map((promise) => promise.split('\n', 1)[0])).toEqual([]);
  });

  test.each(references)('$file has the test "$title"', async ({ file, title }) => {
    const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
    const code = await readFile(existsSync(`${path}.spec.ts`) ? `${path}.spec.ts` : `${path}.suite.ts`, 'utf8');
    expect(code).toContain(title);
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import { PACKAGE_VERSION } from './package-version.js';

test('a worker reports the version of its package', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8')) as {
    version: string;
  };
  expect(PACKAGE_VERSION).toBe(version);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { OUTPUT } from './expected-output.js';
import { FreshApplication } from './fresh-application.js';
import { ROOT } from './published-packages.js';

/** What Nest's CLI makes, and what it made until summer 2025. */
const COMMONJS = ['cjs', 'cjs-node10'];

/** Compiling takes seconds of computing, and installing loads what the cache of npm does not have. */
jest.setTimeout(240_000);

describeEach(
  'a fresh Nest 11 application',
  () => {
    let application: FreshApplication;
    beforeAll(async () => {
      application = await FreshApplication.install('nest-11', ['esm', ...COMMONJS]);
    });
    afterAll(() => application?.remove());

    test.each(COMMONJS)('runs [%s]', async (kind) => {
      await application.node([application.installed('typescript/bin/tsc'), '-p', kind], '.');
      expect(await application.node(['dist/main.js'], kind)).toBe(OUTPUT);
    });

    test('is tested by Jest [esm]', async () => {
      const runner = application.installed('jest/bin/jest.js');
      expect(await application.node(['--experimental-vm-modules', runner], 'esm')).toContain('1 passed, 1 total');
    });

    test('is tested by Jest [cjs]', async () => {
      const runner = application.installed('jest/bin/jest.js');
      expect(await application.node([runner], 'cjs')).toContain('1 passed, 1 total');
    });
  },
  ['sqlite'],
);

test.each(['nest-11', 'nest-12'])('docs/start/install.md shows the Jest settings of %s [cjs]', async (name) => {
  const config = await readFile(join(ROOT, 'test/packaging/apps', name, 'cjs/jest.config.json'), 'utf8');
  const { transformIgnorePatterns } = JSON.parse(config) as { readonly transformIgnorePatterns: readonly string[] };
  expect(await readFile(join(ROOT, 'docs/start/install.md'), 'utf8')).toContain(
    `"transformIgnorePatterns": ${JSON.stringify(transformIgnorePatterns)}`,
  );
});

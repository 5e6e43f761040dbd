import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { OUTPUT } from './expected-output.js';
import { FreshApplication, versionIn } from './fresh-application.js';
import { ROOT } from './published-packages.js';

/** Compiling takes seconds of computing, and installing loads what the cache of npm does not have. */
jest.setTimeout(240_000);

describeEach(
  'a fresh Nest 11 application',
  () => {
    let application: FreshApplication;
    const compile = () => application.node([application.installed('typescript/bin/tsc'), '-p', 'cjs'], '.');
    const jestRunner = () => application.installed('jest/bin/jest.js');
    beforeAll(async () => {
      application = await FreshApplication.install('nest-11', ['esm', 'cjs']);
    });
    afterAll(() => application?.remove());

    test('with TypeORM 0.3 runs [cjs]', async () => {
      await compile();
      expect(await application.node(['dist/main.js'], 'cjs')).toBe(OUTPUT);
    });

    test('with TypeORM 0.3 is tested by Jest [cjs]', async () => {
      expect(await application.node([jestRunner()], 'cjs')).toContain('1 passed, 1 total');
    });

    // In this order: TypeORM 1 stays installed.
    test('after an upgrade to TypeORM 1 runs [cjs]', async () => {
      await application.installAlso(`typeorm@${await versionIn(ROOT, 'typeorm')}`);
      await compile();
      expect(await application.node(['dist/main.js'], 'cjs')).toBe(OUTPUT);
    });

    test('after an upgrade to TypeORM 1 is tested by Jest [esm]', async () => {
      expect(await application.node(['--experimental-vm-modules', jestRunner()], 'esm')).toContain('1 passed, 1 total');
    });
  },
  ['sqlite'],
);

test.each(['nest-10', 'nest-11', 'nest-12'])(
  'docs/start/install.md shows the Jest settings of %s [cjs]',
  async (name) => {
    const config = await readFile(join(ROOT, 'test/packaging/apps', name, 'cjs/jest.config.json'), 'utf8');
    const { transformIgnorePatterns } = JSON.parse(config) as { readonly transformIgnorePatterns: readonly string[] };
    expect(await readFile(join(ROOT, 'docs/start/install.md'), 'utf8')).toContain(
      `"transformIgnorePatterns": ${JSON.stringify(transformIgnorePatterns)}`,
    );
  },
);

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { OUTPUT } from './expected-output.js';
import { FreshApplication } from './fresh-application.js';
import { pathsThatFail, programsOf } from './published-paths.js';

/** Compiling takes seconds of computing, and installing loads what the cache of npm does not have. */
jest.setTimeout(240_000);

describeEach(
  'a fresh Nest 12 application',
  () => {
    let application: FreshApplication;
    beforeAll(async () => {
      application = await FreshApplication.install('nest-12', ['esm', 'cjs']);
      await application.add('test/types', 'types');
      await application.add('test/types/registered', 'registered');
    });
    afterAll(() => application?.remove());

    const compile = (typescript: string, kind: string, ...options: string[]) =>
      application.node([application.installed(`${typescript}/bin/tsc`), '-p', kind, ...options], '.');

    test.each(['esm', 'cjs'])('runs [%s]', async (kind) => {
      await compile('typescript-7', kind);
      expect(await application.node(['dist/main.js'], kind)).toBe(OUTPUT);
    });

    test('is tested by Jest [cjs]', async () => {
      const runner = application.installed('jest/bin/jest.js');
      expect(await application.node([runner], 'cjs')).toContain('1 passed, 1 total');
    });

    test('is tested by Vitest [esm]', async () => {
      const vitest = application.installed('vitest/vitest.mjs');
      expect(await application.node([vitest, 'run'], 'esm')).toMatch(/Tests +1 passed/);
    });

    describeTypes(compile);

    test('can import and require every path of every package, if what it needs beside is there', async () => {
      expect(await pathsThatFail(application)).toEqual([]);
    });

    test('can run the programs of the packages', async () => {
      for (const file of programsOf(application)) {
        expect(await application.node([file, '--help'], '.')).not.toBe('');
      }
    });
  },
  ['sqlite'],
);

function describeTypes(compile: (typescript: string, kind: string, ...options: string[]) => Promise<string>): void {
  // All declarations are checked too, ours and those of others, with the oldest and the newest release.
  test.each([
    ['typescript-5.9', []],
    ['typescript-6', ['--skipLibCheck']],
    ['typescript-7', []],
  ])('compiles with %s [nodenext]', async (typescript, options) => {
    await compile(typescript, '.', ...options);
  });

  test('compiles with typescript-7 [bundler]', async () => {
    await compile('typescript-7', '.', '--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck');
  });

  test('compiles with typescript-7 [node16]', async () => {
    // Only from ES modules: `nodenext` lets CommonJS import them, `node16` does not.
    await compile('typescript-7', 'esm', '--module', 'node16', '--moduleResolution', 'node16', '--noEmit');
  });

  test('knows the declared queues with typescript-7', async () => {
    await compile('typescript-7', 'registered', '--skipLibCheck');
  });
}

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { OUTPUT } from './expected-output.js';
import { FreshApplication } from './fresh-application.js';

/** Compiling takes seconds of computing, and installing loads what the cache of npm does not have. */
jest.setTimeout(240_000);

describeEach(
  'a fresh Nest 10 application with TypeORM 0.3',
  () => {
    let application: FreshApplication;
    beforeAll(async () => {
      application = await FreshApplication.install('nest-10', ['cjs']);
    });
    afterAll(() => application?.remove());

    // Nest's CLI made such a `tsconfig.json` until summer 2025, with the oldest resolution of modules.
    test('runs [cjs]', async () => {
      await application.node([application.installed('typescript/bin/tsc'), '-p', 'cjs'], '.');
      expect(await application.node(['dist/main.js'], 'cjs')).toBe(OUTPUT);
    });

    test('is tested by Jest [cjs]', async () => {
      const runner = application.installed('jest/bin/jest.js');
      // In one process: two would transform the same packages at the same time, which takes twice as long.
      expect(await application.node([runner, '--runInBand'], 'cjs')).toContain('2 passed, 2 total');
    });
  },
  ['sqlite'],
);

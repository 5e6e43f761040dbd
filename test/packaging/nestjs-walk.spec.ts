import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import getPort from 'get-port';

import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { packAll } from './published-packages.js';
import { walkOf } from './walk.js';
import { Walker } from './walker.js';

/** It installs three times. */
jest.setTimeout(600_000);

const steps = await walkOf('docs/start/quick-start-nest.md');

describeEach(
  'docs/start/quick-start-nest.md, from an empty application to a worker in production',
  (engine) => {
    let database: TestDatabase;
    let home: string;
    beforeAll(async () => {
      database = await createEmptyDatabase(engine);
      home = await mkdtemp(join(tmpdir(), 'tablequeue-walk-'));
    });
    afterAll(async () => {
      await rm(home, { recursive: true, force: true });
      await database.drop();
    });

    test('works as it is written', async () => {
      const walker = new Walker(home, await packAll(home), { DATABASE_URL: database.url }, await getPort());
      try {
        for (const step of steps) {
          await walker.take(step);
        }
      } finally {
        await walker.stop();
      }
      expect(steps.length).toBeGreaterThan(20);
    });
  },
  ['mysql'],
);

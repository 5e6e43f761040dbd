import { expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';

const PROGRAM = new URL('../dist/processes/open-handles.js', import.meta.url);
const DETECTED = /detected the following \d+ open handles?/;

describeEach(
  'an application in Jest with --detectOpenHandles',
  (engine) => {
    test('leaves no open handle when it is closed, also while jobs run', async () => {
      const database = await createDatabase(engine);
      const environment = { ENGINE: engine, URL: database.url, NODE_OPTIONS: '--experimental-vm-modules' };
      const jest = ChildProcess.start(PROGRAM, environment);
      // An open handle keeps Jest from ending, even one that Jest cannot name.
      try {
        await waitFor('it has ended', () => jest.hasEnded || DETECTED.test(jest.output), 50_000);
      } finally {
        await jest.end('SIGKILL');
      }
      expect(jest.output).toContain('1 passed');
      expect(jest.output).not.toMatch(DETECTED);
      await database.drop();
    });
  },
  ['sqlite', 'mariadb'],
);

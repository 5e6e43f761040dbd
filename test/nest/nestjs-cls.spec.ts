import { expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';

const PROGRAM = new URL('../dist/processes/nestjs-cls.js', import.meta.url);
const TWO_SOURCES = new URL('../dist/processes/nestjs-cls-data-sources.js', import.meta.url);

describeEach(
  'with nestjs-cls',
  (engine) => {
    test('an enqueue joins the transaction that is open', async () => {
      const database = await createDatabase(engine);
      const program = ChildProcess.start(PROGRAM, { ENGINE: engine, URL: database.url });
      await program.ended();
      // After one that was rolled back, one that was committed, and one outside.
      expect(program.output).toBe('0 1 2\n');
      await database.drop();
    });

    test('each queue joins the transactions of its own data source', async () => {
      const [home, reports] = await Promise.all([createDatabase('sqlite'), createDatabase(engine)]);
      const program = ChildProcess.start(TWO_SOURCES, { ENGINE: engine, URL: reports.url, DEFAULT_URL: home.url });
      await program.ended();
      // Jobs of the default one and of the named one: after a transaction on the latter that was rolled back, and one
      // that was not.
      expect(program.output).toBe('1+0 2+1\n');
      await Promise.all([home.drop(), reports.drop()]);
    });
  },
  ['sqlite', 'mariadb'],
);

import { expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';

const PROGRAM = new URL('../dist/processes/nestjs-cls.js', import.meta.url);

describeEach('with nestjs-cls', (engine) => {
  test('an enqueue joins the transaction that is open', async () => {
    const database = await createDatabase(engine);
    const program = ChildProcess.start(PROGRAM, { ENGINE: engine, URL: database.url });
    await program.ended();
    // After one that was rolled back, one that was committed, and one outside.
    expect(program.output).toBe('0 1 2\n');
    await database.drop();
  });
});

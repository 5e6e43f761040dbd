import { DBOS } from '@dbos-inc/dbos-sdk';
import { Client } from 'pg';

import { STEP_RESULT } from '../../dist/bench/steps-subject.js';

const DATABASE = 'dbos_bench';

const workflow = DBOS.registerWorkflow(
  async (/** @type {number} */ steps) => {
    for (let number = 0; number < steps; number++) {
      await DBOS.runStep(async () => STEP_RESULT, { name: `step ${number}` });
    }
  },
  { name: 'bench' },
);

/** @type {import('../steps-subject.js').StepsModule['openSteps']} */
export async function openSteps(url) {
  const own = new URL(url);
  own.pathname = DATABASE;
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: own.href,
    // Its default. With 50 it was not faster.
    systemDatabasePoolSize: 20,
    logLevel: 'error',
    runAdminServer: false,
  });
  return {
    async reset() {
      const client = new Client(url);
      await client.connect();
      await client.query(`DROP DATABASE IF EXISTS ${DATABASE}`);
      await client.end();
      await DBOS.launch();
    },
    async runSteps(jobs, steps, atATime) {
      let left = jobs;
      const start = async () => {
        while (left-- > 0) {
          const handle = await DBOS.startWorkflow(workflow)(steps);
          await handle.getResult();
        }
      };
      await Promise.all(Array.from({ length: atATime }, start));
    },
    close: () => DBOS.shutdown(),
  };
}

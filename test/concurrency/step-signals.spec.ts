import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import { TableQueue, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const approval = defineJob<number>('approval');
/** How many jobs get a signal while they start to wait. */
const JOBS = Number(process.env.TABLEQUEUE_SIGNALS ?? 1_500);
/** How long the test may take, in ms. */
const PATIENCE = 60_000 + 120 * JOBS;

describeEach('signals to jobs that start to wait', (engine) => {
  const bench = useWorkbench(engine);

  test(
    'wake up each of them, in transactions and without, and none is lost',
    async () => {
      // Without the reaper: each wake-up that is missing stays missing.
      const handler = jobHandler(approval, async (_number, { waitForSignal }) => {
        await sleep(Math.random() * 4);
        return (await waitForSignal<number>('go')).data;
      });
      await Promise.all([1, 2].map(() => bench.work([handler], { concurrency: 20, shutdownTimeout: 0 })));
      const application = await bench.database.connect();
      const sender = new TableQueue(application, { clock: bench.clock });
      let next = 0;
      const send = async () => {
        for (let number = next++; number < JOBS; number = next++) {
          // The workers of this data source claim it at once.
          const { id } = await bench.queue.enqueue(approval, number);
          await sleep(Math.random() * 12);
          if (number % 2 === 0) {
            await sender.signal(id, 'go', number);
          } else {
            await application.transaction(async (manager) => {
              await sender.signal(id, 'go', number, { manager });
              await sleep(Math.random() * 4);
            });
          }
        }
      };
      await Promise.all(Array.from({ length: engine === 'sqlite' ? 1 : 8 }, send));
      await bench.waitUntilFinished(JOBS);
      const results = (await bench.finishedJobs()).map(({ result }) => Number(result)).sort((a, b) => a - b);
      expect(results).toEqual(Array.from({ length: JOBS }, (_, number) => number));
      await application.destroy();
    },
    PATIENCE,
  );
});

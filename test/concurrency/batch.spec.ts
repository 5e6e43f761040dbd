import { expect, test } from '@jest/globals';
import { batchHandler, defineJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const sync = defineJob<number>('sync');
const JOBS = 600;

describeEach('batch handlers of several workers', (engine) => {
  const bench = useWorkbench(engine);

  test('have every job once, and never more in a call than they want', async () => {
    const runs: number[] = [];
    const sizes: number[] = [];
    const handler = batchHandler(
      sync,
      async (jobs) => {
        sizes.push(jobs.length);
        for (const { payload, succeed } of jobs) {
          runs.push(payload);
          await new Promise((resolve) => setImmediate(resolve));
          succeed(payload);
        }
      },
      { size: 40 },
    );
    await Promise.all([1, 2, 3].map(() => bench.work([handler], { concurrency: 50 })));
    const numbers = Array.from({ length: JOBS }, (_, index) => index);
    await bench.queue.enqueueMany(
      sync,
      numbers.map((payload) => ({ payload })),
    );
    await waitFor('all have ended', async () => (await bench.countFinished()) === JOBS);
    expect(runs.sort((a, b) => a - b)).toEqual(numbers);
    expect(Math.max(...sizes)).toBe(40);
    expect((await bench.finishedJobs()).every(({ state, attempt }) => state === 'succeeded' && attempt === 1)).toBe(
      true,
    );
  });
});

import { expect, test } from '@jest/globals';
import { child, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

/** How many parents wait for their children. Each is a race of the end of the last child with the park. */
const PARENTS = Number(process.env.TABLEQUEUE_CHILDREN ?? 1_000);
/** How long the test may take, in ms. */
const PATIENCE = 60_000 + 180 * PARENTS;

const parent = defineJob<number>('parent', { queue: 'parents' });
const leaf = defineJob<number>('leaf', { queue: 'children' });

describeEach('children that end while their parent begins to wait', (engine) => {
  const bench = useWorkbench(engine);

  test(
    'always wake it up',
    async () => {
      // Two workers: children end in another process' time than that of their parents.
      const handlers = () => [
        jobHandler(parent, async (number, job) => {
          const results = await job.runAll<number>(
            'all',
            Array.from({ length: (number % 3) + 1 }, (_, index) => child(leaf, index)),
          );
          return results.length;
        }),
        jobHandler(leaf, (number) => number),
      ];
      // No reaper: it would hide a wake-up that is missing.
      const options = { maintenance: false, concurrency: 50 } as const;
      await bench.work(handlers(), options);
      await bench.work(handlers(), options);
      const jobs = await bench.queue.enqueueMany(
        parent,
        Array.from({ length: PARENTS }, (_, payload) => ({ payload })),
      );
      const children = jobs.reduce((sum, _job, number) => sum + (number % 3) + 1, 0);
      await bench.waitUntilFinished(PARENTS + children);
      const states = new Set<string | undefined>();
      for (const { id } of jobs.slice(0, 50)) {
        states.add((await bench.queue.find(id))?.state);
      }
      expect([...states]).toEqual(['succeeded']);
    },
    PATIENCE,
  );
});

import { expect, test } from '@jest/globals';
import { type DurableJobContext, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const order = defineJob('order');

describeEach('old and new code of a durable job', (engine) => {
  const bench = useWorkbench(engine);

  test('may take turns on one job: each step runs once, whatever its place', async () => {
    const calls: string[] = [];
    const step = (job: DurableJobContext, name: string) => job.step(name, () => void calls.push(name));
    const before = async (job: DurableJobContext) => {
      await step(job, 'removed');
      await step(job, 'first');
      await job.sleep('1h', { name: 'one' });
      await step(job, 'second');
      await job.sleep('1h', { name: 'two' });
      return 'old';
    };
    const after = async (job: DurableJobContext) => {
      if (!(await job.hasStep('first'))) {
        await step(job, 'only for new jobs');
      }
      await step(job, 'second');
      await step(job, 'first');
      await job.sleep('1h', { name: 'one' });
      await step(job, 'added');
      await job.sleep('1h', { name: 'two' });
      return 'new';
    };
    const { id } = await bench.queue.enqueue(order);
    // A deployment in waves: the job meets the old code again.
    for (const code of [before, after, before]) {
      const worker = await bench.work([jobHandler(order, (_payload, job) => code(job))]);
      const attempt = (await bench.queue.find(id))!.attempt;
      await waitFor('it waits, or has ended', async () => {
        const job = (await bench.queue.find(id))!;
        return job.attempt > attempt && ['scheduled', 'succeeded'].includes(job.state);
      });
      await worker.stop();
      bench.clock.advance('1h');
    }
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ failures: 0, attempt: 3, result: 'old' });
    expect(calls.toSorted()).toEqual(['added', 'first', 'removed', 'second']);
  });
});

import { expect, test } from '@jest/globals';
import { type JobTotals, defineJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob<number>('mail', { queue: 'mail', tenant: (number) => `tenant ${number % 300}` });
const work = defineJob('work', { queue: 'work' });

describeEach('totals', (engine) => {
  const bench = useWorkbench(engine);
  const ofMail = ({ queues }: JobTotals) => queues.find(({ queue }) => queue === 'mail')?.states;
  const enqueue = (count: number) =>
    bench.queue.enqueueMany(
      mail,
      Array.from({ length: count }, (_, payload) => ({ payload })),
    );

  test('few jobs are counted exactly, in all states', async () => {
    expect((await bench.queue.activity.totals()).queues).toEqual([]);
    await enqueue(7);
    await finishedJobs(bench, work, 3, 'failed');
    const { states, queues } = await bench.queue.activity.totals();
    expect(queues.map(({ queue }) => queue)).toEqual(['mail', 'work']);
    expect(states.ready).toEqual({
      count: 7,
      isMinimum: false,
      isEstimate: false,
      countedAt: expect.any(Date),
      perMinute: undefined,
    });
    expect(states.failed).toMatchObject({ count: 3, isMinimum: false, isEstimate: false });
    expect(states.succeeded.count).toBe(0);
  });

  test('many jobs are a minimum first, and then counted in the background, over all lanes of tenants', async () => {
    await enqueue(12_000);
    const first = await bench.queue.activity.totals();
    expect(first.states.ready).toMatchObject({ count: 5_000, isMinimum: true, perMinute: undefined });
    const counted = await waitFor('they are counted', async () => {
      const totals = await bench.queue.activity.totals();
      return !totals.states.ready.isMinimum && totals;
    });
    expect(counted.states.ready).toMatchObject({ count: 12_000, isEstimate: true });
    expect(ofMail(counted)?.ready).toMatchObject({ count: 12_000, isEstimate: true });
    expect(Date.now() - counted.states.ready.countedAt.getTime()).toBeLessThan(10_000);

    await bench.dataSource.query("UPDATE tq_job SET state = 'succeeded', lane = 0");
    await enqueue(3);
    const later = await waitFor('the finished ones are counted', async () => {
      const { states } = await bench.queue.activity.totals();
      return states.succeeded.count === 12_000 && states;
    });
    expect(later.ready).toMatchObject({ count: 3, isEstimate: false });
    await bench.dataSource.query("DELETE FROM tq_job WHERE state = 'succeeded'");
    expect((await bench.queue.activity.totals()).states.succeeded).toMatchObject({ count: 0, isEstimate: false });
  });
});

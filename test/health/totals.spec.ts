import { expect, test } from '@jest/globals';
import { type JobTotals, TableQueueJob, defineJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { statementsOf } from '../support/statements.js';
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

  test('one statement counts the finished jobs of several queues with hundreds of them', async () => {
    const enqueueInto = (queue: string, count: number) =>
      bench.queue.enqueueMany(
        defineJob(queue, { queue }),
        Array.from({ length: count }, () => ({})),
      );
    // As many as one call of totals counts exactly; the others are left to the background.
    for (let number = 0; number < 200; number++) {
      await enqueueInto(`few-${number}`, 1);
    }
    for (let number = 0; number < 20; number++) {
      await enqueueInto(`many-${number}`, 300);
    }
    await bench.dataSource.query("UPDATE tq_job SET state = 'succeeded', lane = 0");
    const sent = await statementsOf(bench.queue, () =>
      waitFor('they are counted', async () => {
        const { succeeded } = (await bench.queue.activity.totals()).states;
        return !succeeded.isMinimum && succeeded.count === 6_200;
      }),
    );
    const counts = sent.filter(({ parameters }) => parameters.some((each) => String(each).startsWith('many-')));
    // One finds that they have more than 200 jobs, four count six of them each. Without sharing there are 20.
    expect(counts.length).toBeLessThan(10);
  });

  test('the jobs of 300 queues are all counted, and listed in order', async () => {
    for (let number = 0; number < 300; number++) {
      const own = defineJob(`own-${number}`, { queue: `many-${number % 5}.${number}` });
      await bench.queue.enqueueMany(own, [{}, { priority: number % 3 }]);
    }
    const first = await bench.queue.activity.totals();
    // Those of 200 queues, and a minimum of one for each other queue.
    expect(first.states.ready).toMatchObject({ count: 500, isMinimum: true });
    const counted = await waitFor('they are counted', async () => {
      const totals = await bench.queue.activity.totals();
      return !totals.states.ready.isMinimum && totals;
    });
    expect(counted.states.ready).toMatchObject({ count: 600, isEstimate: false });
    expect(counted.queues.every(({ states }) => states.ready.count === 2)).toBe(true);

    const rows = await bench.rows(TableQueueJob);
    const inOrder = rows.sort((one, other) => other.position - one.position || (one.id < other.id ? 1 : -1));
    for (const filter of [{}, { name: 'own-7' }]) {
      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await bench.queue.jobs.list({ state: 'ready', limit: 100, ...filter, ...(after && { after }) });
        found.push(...page.jobs.map(({ id }) => id));
        after = page.next;
      } while (after !== undefined);
      expect(found).toEqual(inOrder.filter(({ name }) => name === (filter.name ?? name)).map(({ id }) => id));
    }
  });
});

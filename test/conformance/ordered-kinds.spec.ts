import { expect, test } from '@jest/globals';
import { InvalidOptionError, child, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { type Change, byAccount, change } from '../support/ordered-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

describeEach('durable jobs, children, groups and recurring jobs with an order', (engine) => {
  const bench = useWorkbench(engine);

  test('a child of its own definition needs another order key', async () => {
    const tree = defineJob<Change>('tree', { order: { by: byAccount } });
    const errors: unknown[] = [];
    await bench.work([
      jobHandler(tree, async ({ account, number }, { run }) => {
        if (number === 1) {
          await run('same', child(tree, { account, number: 2 })).catch((error: unknown) => errors.push(error));
          await run('other', child(tree, { account: 'b', number: 2 }));
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(tree, { account: 'a', number: 1 });
    await bench.untilJobIs(id, 'succeeded');
    // In each attempt.
    expect(errors).toEqual([expect.any(InvalidOptionError), expect.any(InvalidOptionError)]);
  });

  test('a signal of an old snapshot does not wake up a job before its place', async () => {
    const saga = defineJob<Change>('snapshot', { order: { by: byAccount } });
    const ran: number[] = [];
    await bench.work([
      jobHandler(saga, async ({ number }, { waitForSignal }) => {
        ran.push(number);
        await waitForSignal('go');
      }),
    ]);
    const first = await bench.queue.enqueue(saga, { account: 'a', number: 1 });
    await bench.untilJobIs(first.id, 'waiting');
    if (engine === 'sqlite') {
      return;
    }
    await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
      await manager.query('SELECT COUNT(*) FROM tq_job');
      await bench.queue.cancel(first.id);
      const second = await bench.queue.enqueue(saga, { account: 'a', number: 2 });
      await waitFor('the second waits', async () => (await bench.queue.steps(second.id)).length === 1);
      expect(await bench.queue.failed.retry(first.id)).toBe(true);
      await bench.queue.signal(first.id, 'go', undefined, { manager });
    });
    expect(await bench.queue.find(first.id)).toMatchObject({ state: 'waiting' });
    expect(ran).toEqual([1, 2]);
  });

  test('a parked durable job is still the head', async () => {
    const saga = defineJob<Change>('saga', { order: { by: byAccount } });
    const ran: string[] = [];
    await bench.work([
      jobHandler(saga, async ({ number }, { waitForSignal }) => {
        ran.push(`start ${number}`);
        await waitForSignal('go');
        ran.push(`end ${number}`);
      }),
    ]);
    const first = await bench.queue.enqueue(saga, { account: 'a', number: 1 });
    const second = await bench.queue.enqueue(saga, { account: 'a', number: 2 });
    await waitFor('the first waits', async () => (await bench.queue.steps(first.id)).length === 1);
    // It is kept until the job runs: the second job is not parked.
    await bench.queue.signal(second.id, 'go');
    expect(ran).toEqual(['start 1']);
    await bench.queue.signal(first.id, 'go');
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran.filter((text) => text.endsWith('2')).slice(-1)).toEqual(['end 2']);
    expect(ran.indexOf('start 2')).toBeGreaterThan(ran.indexOf('end 1'));
  });

  test('a retried durable job is not woken up by a signal before its place', async () => {
    const saga = defineJob<Change>('patient', { order: { by: byAccount } });
    const ran: number[] = [];
    const handler = jobHandler(saga, async ({ number }, { waitForSignal }) => {
      ran.push(number);
      await waitForSignal('go');
    });
    const first = await bench.queue.enqueue(saga, { account: 'a', number: 1 });
    await bench.work([handler]);
    await bench.untilJobIs(first.id, 'waiting');
    expect(await bench.queue.cancel(first.id)).toBe('cancelled');
    const second = await bench.queue.enqueue(saga, { account: 'a', number: 2 });
    await waitFor('the second waits', async () => (await bench.queue.steps(second.id)).length === 1);
    expect(await bench.queue.failed.retry(first.id)).toBe(true);
    expect(await bench.queue.signal(first.id, 'go')).toBe('sent');
    expect(await bench.queue.find(first.id)).toMatchObject({ state: 'waiting' });
    await bench.queue.signal(second.id, 'go');
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 2, 2, 1]);
  });

  test('jobs that are not kept, members of groups and children have an order', async () => {
    const unkept = defineJob<Change>('unkept', { order: { by: byAccount }, keep: 'none' });
    const parent = defineJob('parent');
    const ran: number[] = [];
    const run = ({ number }: Change) => void ran.push(number);
    await bench.work([
      jobHandler(unkept, run),
      jobHandler(parent, async (_payload, job) => {
        await job.runAll('all', [
          child(unkept, { account: 'a', number: 5 }),
          child(unkept, { account: 'a', number: 6 }),
        ]);
      }),
    ]);
    const done = defineJob('done');
    await bench.queue.groups.enqueue({
      jobs: [1, 2, 3, 4].map((number) => ({ definition: unkept, payload: { account: 'a', number } })),
      onSuccess: { definition: done },
    });
    await waitFor('the members have run', () => ran.length === 4);
    await bench.queue.enqueue(parent);
    await waitFor('the children have run', () => ran.length === 6);
    expect(ran).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('callbacks of groups and recurring jobs refuse an order', async () => {
    const group = bench.queue.groups.enqueue({
      jobs: [{ definition: change, payload: { account: 'a', number: 1 } }],
      onSuccess: { definition: change, payload: { account: 'a', number: 2 } },
    });
    await expect(group).rejects.toThrow(InvalidOptionError);
    const recurring = bench.queue.recurring.set('nightly', change, { account: 'a', number: 1 }, { every: '1h' });
    await expect(recurring).rejects.toThrow(InvalidOptionError);
  });
});

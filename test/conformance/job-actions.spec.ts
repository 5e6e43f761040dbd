import { expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  type JobAction,
  type JobFilter,
  UnknownOptionError,
  defineJob,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail', retry: { attempts: 3, backoff: fixed('1h') } });
const text = defineJob('text', { queue: 'mail' });

describeOnOlderToo('actions by hand', (engine) => {
  const bench = useWorkbench(engine);

  const enqueue = async (options: object = {}, job = mail) => (await bench.queue.enqueue(job, undefined, options)).id;
  const stateOf = async (id: string) => (await bench.queue.find(id))?.state;
  const unknown = '019a0000-0000-7000-8000-000000000000';

  test('runNow makes a delayed job ready once, in the order of its priority', async () => {
    const id = await enqueue({ delay: '1h', priority: 2, tenant: 'acme' });
    const before = (await bench.queue.find(id))!;
    expect(await bench.queue.jobs.runNow(id)).toEqual({ changed: 1, skipped: 0 });
    expect(await bench.queue.jobs.runNow(id)).toEqual({ changed: 0, skipped: 1 });
    const ready = (await bench.queue.find(id))!;
    expect(ready).toEqual({ ...before, state: 'ready', runAt: ready.runAt });
    expect(ready.runAt.getTime()).toBeLessThan(before.runAt.getTime());
    const { runs, handler } = heldHandler(mail);
    await bench.work([handler]);
    await waitFor('it runs', () => runs.length === 1);
    expect(await bench.queue.jobs.runNow(id)).toEqual({ changed: 0, skipped: 1 });
    runs[0]!.fail(new Error('not yet'));
    await bench.untilJobIs(id, 'scheduled');
    expect((await bench.queue.jobs.runNow(id)).changed).toBe(1);
    await waitFor('its retry runs at once', () => runs.length === 2);
    runs[1]!.end();
    await bench.untilJobIs(id, 'succeeded');
    expect(await bench.queue.jobs.runNow([id, unknown])).toEqual({ changed: 0, skipped: 2 });
  });

  test('wakes an idle worker of this process', async () => {
    const { runs, handler } = heldHandler(mail);
    await bench.work([handler], { pollInterval: '1h' });
    const id = await enqueue({ delay: '1h' });
    await bench.queue.jobs.runNow(id);
    await waitFor('it runs', () => runs.length === 1);
    runs[0]!.end();
  });

  test('a queued job gets another priority and another position', async () => {
    const first = await enqueue();
    const second = await enqueue();
    const later = await enqueue({ delay: '1h' });
    expect(await bench.queue.jobs.changePriority([second, later, unknown], -3)).toEqual({ changed: 2, skipped: 1 });
    expect(await bench.queue.jobs.changePriority(second, -3)).toEqual({ changed: 0, skipped: 1 });
    expect(await bench.queue.find(second)).toMatchObject({ state: 'ready', priority: -3 });
    expect(await bench.queue.find(later)).toMatchObject({ state: 'scheduled', priority: -3 });
    await bench.queue.jobs.runNow(later);
    const order: string[] = [];
    await bench.work([jobHandler(mail, (_payload, { id }) => void order.push(id))], { concurrency: 1 });
    await waitFor('all have run', () => order.length === 3);
    expect(order).toEqual([second, later, first]);
  });

  test('a running job does not get another priority, and its cancellation is requested', async () => {
    const { runs, handler } = heldHandler(mail);
    await bench.work([handler]);
    const id = await enqueue();
    await waitFor('it runs', () => runs.length === 1);
    expect(await bench.queue.jobs.changePriority(id, 7)).toEqual({ changed: 0, skipped: 1 });
    expect(await bench.queue.jobs.cancel(id)).toEqual({ changed: 1, skipped: 0 });
    await waitFor('it is aborted', () => runs[0]!.job.signal.aborted);
    runs[0]!.fail(new Error('ended'));
    await bench.untilJobIs(id, 'cancelled');
    expect((await bench.queue.jobs.retry(id)).changed).toBe(1);
    await waitFor('it runs again', () => runs.length === 2);
    runs[1]!.end();
  });

  test('a cancelled member releases what waits for its group', async () => {
    const { onComplete, jobs } = await bench.queue.groups.enqueue({
      jobs: [{ definition: mail, delay: '1h' }],
      onComplete: { definition: text },
    });
    expect(await bench.queue.jobs.changePriority(onComplete!, 5)).toEqual({ changed: 1, skipped: 0 });
    expect(await bench.queue.jobs.runNow(onComplete!)).toEqual({ changed: 0, skipped: 1 });
    await bench.queue.jobs.cancel(jobs.map(({ id }) => id));
    if (engine !== 'mysql56') {
      expect(await bench.queue.find(onComplete!)).toMatchObject({ state: 'ready', priority: 5 });
    }
  });

  test('all jobs of a filter, batch by batch, with a count before', async () => {
    await bench.queue.enqueueMany(
      text,
      Array.from({ length: 30 }, () => ({ delay: '1h' as const })),
    );
    await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 900 }, () => ({ delay: '1h' as const })),
    );
    const mails = { state: 'scheduled', name: 'mail' } as const;
    expect(await bench.queue.jobs.preview('run-now', mails)).toEqual({ count: 900, isCapped: false });
    expect(await bench.queue.jobs.runNow(mails)).toEqual({ changed: 900, skipped: 0 });
    expect(await bench.queue.jobs.runNow(mails)).toEqual({ changed: 0, skipped: 0 });
    const ready = { state: 'ready', queue: 'mail' } as const;
    for (const priority of [4, -4]) {
      expect(await bench.queue.jobs.changePriority(ready, priority)).toEqual({ changed: 900, skipped: 0 });
    }
    expect((await bench.liveJobs()).filter(({ priority }) => priority === -4)).toHaveLength(900);
    expect(await bench.queue.jobs.cancel(ready)).toEqual({ changed: 900, skipped: 0 });
    expect(await bench.queue.jobs.preview('retry', { state: 'cancelled' })).toEqual({ count: 900, isCapped: false });
    expect((await bench.queue.jobs.retry({ state: 'cancelled', name: 'mail' })).changed).toBe(900);
    expect(await bench.queue.counts()).toMatchObject([{ ready: { count: 900 }, scheduled: { count: 30 } }]);
  });

  test('all jobs of a filter are changed in several calls, each of a given number of steps', async () => {
    await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 900 }, () => ({ delay: '1h' as const })),
    );
    const mails = { state: 'scheduled', name: 'mail' } as const;
    const first = await bench.queue.jobs.runNow(mails, { by: 'ada', steps: 2 });
    expect(first).toEqual({ changed: 800, skipped: 0, next: expect.any(String) });
    expect(await bench.queue.counts()).toMatchObject([{ ready: { count: 800 }, scheduled: { count: 100 } }]);
    const second = await bench.queue.jobs.runNow(mails, { by: 'ada', steps: 2, after: first.next as string });
    expect(second).toEqual({ changed: 100, skipped: 0 });
    const again = await bench.queue.jobs.runNow(mails, { by: 'ada', steps: 2, after: first.next as string });
    expect(again).toEqual({ changed: 0, skipped: 0 });
    const { entries } = await bench.queue.activity.audit();
    expect(entries.map(({ changed }) => changed)).toEqual([100, 800]);
  });

  test('a step ends also where it has looked at many jobs in vain', async () => {
    await bench.queue.enqueueMany(
      text,
      Array.from({ length: 5_100 }, () => ({ delay: '1h' as const })),
    );
    const id = await enqueue({ delay: '1m' });
    const mails = { state: 'scheduled', name: 'mail' } as const;
    const first = await bench.queue.jobs.cancel(mails, { steps: 1 });
    expect(first).toEqual({ changed: 0, skipped: 0, next: expect.any(String) });
    expect(await bench.queue.jobs.cancel(mails, { steps: 1, after: first.next as string })).toEqual({
      changed: 1,
      skipped: 0,
    });
    expect(await stateOf(id)).toBe('cancelled');
  });

  test('failed jobs of a filter are retried, jobs that fail meanwhile are not', async () => {
    await finishedJobs(bench, mail, 500, 'failed');
    bench.clock.advance('1s');
    let failures = 0;
    const worker = await bench.work([
      jobHandler(mail, () => {
        failures++;
        throw new Error('again');
      }),
    ]);
    expect(await bench.queue.jobs.retry({ state: 'failed', errorIncludes: 'failed' })).toEqual({
      changed: 500,
      skipped: 0,
    });
    await waitFor(
      'each has failed once more',
      async () => failures === 500 && (await bench.queue.counts())[0]?.running.count === 0,
    );
    await worker.stop();
    expect((await bench.liveJobs()).every(({ attempt }) => attempt === 4)).toBe(true);
  });

  test('a count ends at its limit, and is marked as capped', async () => {
    await finishedJobs(bench, mail, 10_050, 'cancelled', false);
    expect(await bench.queue.jobs.preview('retry', { state: 'cancelled' })).toEqual({ count: 10_000, isCapped: true });
  });

  test('an invalid action is rejected, and changes nothing', async () => {
    const id = await enqueue({ delay: '1h' });
    const { jobs } = bench.queue;
    await expect(jobs.runNow('7')).rejects.toThrow(InvalidOptionError);
    await expect(jobs.runNow([id, '7'])).rejects.toThrow(InvalidOptionError);
    await expect(jobs.runNow({ state: 'ready' })).rejects.toThrow(InvalidOptionError);
    await expect(jobs.retry({ state: 'succeeded' })).rejects.toThrow(InvalidOptionError);
    await expect(jobs.cancel({ state: 'failed' })).rejects.toThrow(InvalidOptionError);
    await expect(jobs.cancel({} as JobFilter)).rejects.toThrow(InvalidOptionError);
    await expect(jobs.changePriority({ state: 'running' }, 1)).rejects.toThrow(InvalidOptionError);
    await expect(jobs.changePriority(id, 501)).rejects.toThrow(InvalidOptionError);
    await expect(jobs.preview('burn' as JobAction, { state: 'ready' })).rejects.toThrow(InvalidOptionError);
    await expect(jobs.cancel({ state: 'scheduled' }, { steps: 0 })).rejects.toThrow(InvalidOptionError);
    await expect(jobs.cancel({ state: 'scheduled' }, { after: 'here' })).rejects.toThrow(InvalidOptionError);
    await expect(jobs.cancel([id], { steps: 1 })).rejects.toThrow(UnknownOptionError);
    await expect(jobs.runNow(id, { by: '' })).rejects.toThrow(InvalidOptionError);
    await expect(jobs.runNow(id, { by: 'x'.repeat(192) })).rejects.toThrow(InvalidOptionError);
    await expect(jobs.runNow(id, { who: 'me' } as object)).rejects.toThrow(UnknownOptionError);
    expect(await stateOf(id)).toBe('scheduled');
  });
});

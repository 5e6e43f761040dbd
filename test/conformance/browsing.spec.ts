import { expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  type JobFilter,
  UnknownOptionError,
  defineJob,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail', retry: { attempts: 1 } });
const text = defineJob('text', { queue: 'mail', retry: { attempts: 1 } });
const call = defineJob('call', { queue: 'partner', retry: { attempts: 1 } });

describeEach('browsing', (engine) => {
  const bench = useWorkbench(engine);

  const enqueue = async (...[job, options]: [typeof mail, object?]) =>
    (await bench.queue.enqueue(job, undefined, options)).id;
  const listed = async (filter: JobFilter) => (await bench.queue.jobs.list(filter)).jobs.map(({ id }) => id);
  /** All pages, one after the other. */
  async function pagesOf(filter: JobFilter, limit: number) {
    const pages: string[][] = [];
    let isPartial = false;
    for (let next: string | undefined = ''; next !== undefined;) {
      const page = await bench.queue.jobs.list({ ...filter, limit, ...(next && { after: next }) });
      pages.push(page.jobs.map(({ id }) => id));
      isPartial ||= page.isPartial;
      next = page.next;
    }
    return { pages, isPartial };
  }

  test('jobs that wait are found by state, queue, name, key, tenant and time, the last in line first', async () => {
    const first = await enqueue(mail, { key: 'order:1' });
    const second = await enqueue(text, { priority: 5 });
    const third = await enqueue(call, { tenant: 'acme', key: 'order:1' });
    const later = await enqueue(mail, { delay: '1h' });
    const latest = await enqueue(call, { delay: '2h', tenant: 'acme' });
    expect(await listed({ state: 'ready' })).toEqual([second, third, first]);
    expect(await listed({ state: 'ready', queue: 'mail' })).toEqual([second, first]);
    expect(await listed({ state: 'ready', name: 'mail' })).toEqual([first]);
    expect(await listed({ state: 'ready', key: 'order:1' })).toEqual([third, first]);
    expect(await listed({ state: 'ready', key: 'order:1', queue: 'mail' })).toEqual([first]);
    expect(await listed({ state: 'ready', tenant: 'acme' })).toEqual([third]);
    expect(await listed({ state: 'ready', tenant: 'acme', queue: 'mail' })).toEqual([]);
    expect(await listed({ state: 'scheduled' })).toEqual([latest, later]);
    expect(await listed({ state: 'scheduled', tenant: 'acme' })).toEqual([latest]);
    const due = (await bench.queue.find(latest))!.runAt;
    expect(await listed({ state: 'scheduled', from: due })).toEqual([latest]);
    expect(await listed({ state: 'scheduled', before: due })).toEqual([later]);
    expect(await listed({ state: 'ready', before: new Date(0) })).toEqual([]);
    expect(await listed({ state: 'running' })).toEqual([]);
  });

  test('a page has all fields of a job but the large ones', async () => {
    const { runs, handler } = heldHandler(mail);
    await bench.work([handler]);
    const id = await enqueue(mail, { key: 'k', tenant: 't', priority: 3 });
    await waitFor('it runs', () => runs.length === 1);
    const page = await bench.queue.jobs.list({ state: 'running' });
    const { createdAt, runAt, claimedAt } = (await bench.queue.find(id))!;
    expect(page).toEqual({
      jobs: [
        {
          id,
          name: 'mail',
          queue: 'mail',
          key: 'k',
          tenant: 't',
          state: 'running',
          priority: 3,
          attempt: 1,
          failures: 0,
          error: undefined,
          progress: undefined,
          createdAt,
          runAt,
          claimedAt,
          finishedAt: undefined,
        },
      ],
      next: undefined,
      isPartial: false,
      takenAt: expect.any(Date),
    });
    runs[0]!.fail(new Error('x'.repeat(5_000)));
    await bench.untilJobIs(id, 'failed');
    const [failed] = (await bench.queue.jobs.list({ state: 'failed', errorIncludes: 'xxx' })).jobs;
    expect(failed).toMatchObject({ id, state: 'failed', failures: 1, finishedAt: expect.any(Date) });
    expect(failed!.error).toHaveLength(1_000);
    expect(await listed({ state: 'failed', errorIncludes: 'no such error' })).toEqual([]);
    expect(await listed({ state: 'failed', key: 'k', tenant: 't' })).toEqual([id]);
  });

  test('running jobs of several workers are found, and finished ones by their outcome', async () => {
    const held = [heldHandler(mail), heldHandler(call)];
    await Promise.all(held.map(({ handler }) => bench.work([handler])));
    const ids = [await enqueue(mail), await enqueue(mail), await enqueue(call)];
    await waitFor('all run', () => held.flatMap(({ runs }) => runs).length === 3);
    expect((await listed({ state: 'running' })).sort()).toEqual(ids.sort());
    expect(await listed({ state: 'running', queue: 'partner' })).toHaveLength(1);
    held[0]!.runs.forEach(({ end }) => end());
    await waitFor('two have ended', async () => (await listed({ state: 'succeeded' })).length === 2);
    expect(await listed({ state: 'succeeded', queue: 'partner' })).toEqual([]);
    held[1]!.runs.forEach(({ end }) => end());
    await waitFor('the third too', async () => (await listed({ state: 'succeeded', queue: 'partner' })).length === 1);
  });

  test('pages have no gaps across lanes of queues and tenants, also for jobs stored together', async () => {
    const jobs = (count: number, tenant?: string) =>
      Array.from({ length: count }, (_, index) => ({ priority: index % 3, ...(tenant && { tenant }) }));
    const stored = [
      ...(await bench.queue.enqueueMany(mail, jobs(150))),
      ...(await bench.queue.enqueueMany(mail, jobs(90, 'one'))),
      ...(await bench.queue.enqueueMany(call, jobs(7, 'two'))),
    ].map(({ id }) => id);
    for (const limit of [10, 100, 1_000]) {
      const { pages, isPartial } = await pagesOf({ state: 'ready' }, limit);
      expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
      expect(isPartial).toBe(false);
      expect(pages.flat()).toHaveLength(stored.length);
      expect(pages.flat().sort()).toEqual([...stored].sort());
    }
    const [first] = (await pagesOf({ state: 'ready' }, 10)).pages;
    const priorities = (await Promise.all(first!.map((id) => bench.queue.find(id)))).map((job) => job!.priority);
    expect(priorities).toEqual(Array.from({ length: 10 }, () => 2));
    const named = (await pagesOf({ state: 'ready', name: 'mail', tenant: 'one' }, 20)).pages;
    expect(named.flat()).toHaveLength(90);
  });

  test('finished jobs come page by page, by their key too', async () => {
    const texts = await finishedJobs(bench, text, 700, 'succeeded');
    bench.clock.advance('1h');
    const now = new Date(Date.now() + bench.clock.shift);
    const mails = await finishedJobs(bench, mail, 50, 'cancelled');
    const found = await pagesOf({ state: 'succeeded' }, 300);
    expect(found.pages.map(({ length }) => length)).toEqual([300, 300, 100]);
    expect(found.pages.flat()).toEqual(texts.toReversed());
    expect((await pagesOf({ state: 'cancelled' }, 30)).pages.flat()).toEqual(mails.toReversed());
    expect(await listed({ state: 'succeeded', key: 'succeeded:3' })).toEqual([texts[3]]);
    expect(await listed({ state: 'cancelled', from: now })).toHaveLength(50);
    expect(await listed({ state: 'cancelled', before: now })).toEqual([]);
    expect(await listed({ state: 'succeeded', before: now, name: 'text' })).toHaveLength(100);
  });

  test('finished jobs come in the order of their ends, and with a key in that of their creation', async () => {
    const first = await enqueue(mail, { key: 'order:1' });
    const second = await enqueue(call, { key: 'order:1' });
    await bench.queue.cancel(second);
    bench.clock.advance('1s');
    await bench.queue.cancel(first);
    expect(await listed({ state: 'cancelled' })).toEqual([first, second]);
    expect(await listed({ state: 'cancelled', key: 'order:1' })).toEqual([second, first]);
  });

  test('jobs with a key are counted by their states, of a queue, a name or a tenant', async () => {
    const key = 'order:1';
    const { runs, handler } = heldHandler(call);
    await bench.work([handler]);
    for (const end of ['succeeds', 'fails', 'runs'] as const) {
      const id = await enqueue(call, { key });
      await waitFor('it runs', () => runs.length > 0 && runs.at(-1)!.job.id === id);
      const run = runs.at(-1)!;
      if (end === 'succeeds') {
        run.end();
        await bench.untilJobIs(id, 'succeeded');
      } else if (end === 'fails') {
        run.fail(new Error('no'));
        await bench.untilJobIs(id, 'failed');
      }
    }
    await enqueue(mail, { key, tenant: 'one' });
    await enqueue(mail, { key, delay: '1h' });
    await bench.queue.cancel(await enqueue(mail, { key }));
    await enqueue(mail, { key: 'order:2' });
    const none = {
      waiting: 0,
      scheduled: 0,
      ready: 0,
      running: 0,
      succeeded: 0,
      failed: 0,
      cancelled: 0,
      expired: 0,
      isCapped: false,
    };
    const count = (filter?: Pick<JobFilter, 'queue' | 'name' | 'tenant'>) => bench.queue.jobs.countByKey(key, filter);
    expect(await count()).toEqual({
      ...none,
      scheduled: 1,
      ready: 1,
      running: 1,
      succeeded: 1,
      failed: 1,
      cancelled: 1,
    });
    expect(await count({ queue: 'partner' })).toEqual({ ...none, running: 1, succeeded: 1, failed: 1 });
    expect(await count({ name: 'mail', tenant: 'one' })).toEqual({ ...none, ready: 1 });
    expect(await bench.queue.jobs.countByKey('order:3')).toEqual(none);
    await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 1_001 }, () => ({ key: 'many' })),
    );
    expect(await bench.queue.jobs.countByKey('many')).toEqual({ ...none, ready: 1_000, isCapped: true });
    // Else the worker waits for it when it stops.
    runs.at(-1)!.end();
  });

  test('a search reads a limited number of jobs, and the next page continues there', async () => {
    const needle = await finishedJobs(bench, mail, 1, 'succeeded', false);
    bench.clock.advance('1s');
    const hay = await finishedJobs(bench, text, 12_000, 'succeeded', false);
    const filter = { state: 'succeeded', name: 'mail' } as const;
    const first = await bench.queue.jobs.list(filter);
    const second = await bench.queue.jobs.list({ ...filter, after: first.next! });
    const third = await bench.queue.jobs.list({ ...filter, after: second.next! });
    expect([first, second]).toMatchObject(Array.from({ length: 2 }, () => ({ jobs: [], isPartial: true })));
    expect(third).toMatchObject({ jobs: [{ id: needle[0] }], isPartial: false });
    expect((await bench.queue.jobs.list({ state: 'succeeded', limit: 1 })).jobs).toMatchObject([{ id: hay.at(-1) }]);
  });

  test('an invalid filter is rejected', async () => {
    const list = (options: object) => bench.queue.jobs.list(options as JobFilter);
    await expect(list({})).rejects.toThrow(InvalidOptionError);
    await expect(bench.queue.jobs.countByKey('')).rejects.toThrow(InvalidNameError);
    await expect(bench.queue.jobs.countByKey('k', { state: 'ready' } as object)).rejects.toThrow(UnknownOptionError);
    await expect(list({ state: 'done' })).rejects.toThrow(InvalidOptionError);
    await expect(list({ state: 'ready', queue: 'no queue' })).rejects.toThrow(InvalidNameError);
    await expect(list({ state: 'ready', name: '' })).rejects.toThrow(InvalidNameError);
    await expect(list({ state: 'ready', tenant: '' })).rejects.toThrow(InvalidNameError);
    await expect(list({ state: 'failed', errorIncludes: '' })).rejects.toThrow(InvalidOptionError);
    await expect(list({ state: 'failed', from: 7 })).rejects.toThrow(InvalidOptionError);
    await expect(list({ state: 'failed', limit: 1_001 })).rejects.toThrow(InvalidOptionError);
    await expect(list({ state: 'failed', after: "1.1' OR 1=1" })).rejects.toThrow(InvalidOptionError);
    await expect(list({ state: 'failed', only: mail })).rejects.toThrow(UnknownOptionError);
  });
});

import { expect, test } from '@jest/globals';
import { type BulkJob, InvalidOptionError, defineJob } from '@tablequeue/typeorm';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import {
  ALL_KINDS,
  KINDS_WITH_PRIORITIES,
  KINDS_WITH_TENANTS,
  PLAIN_KINDS,
  withoutMoment,
} from '../support/job-kinds.js';
import { useWorkbench } from '../support/use-workbench.js';

const greet = defineJob<{ name: string }>('greet');
const send = defineJob<string>('send');

describeEach('enqueue', (engine) => {
  const bench = useWorkbench(engine);

  test('stores a job that is ready at once', async () => {
    const { id } = await bench.queue.enqueue(greet, { name: 'Ada' });
    expect(await bench.queue.find(id)).toMatchObject({
      id,
      name: 'greet',
      queue: 'default',
      state: 'ready',
      payload: { name: 'Ada' },
      attempt: 0,
      failures: 0,
    });
  });

  test('stores a delayed job as scheduled, due by the clock of the database', async () => {
    const { id } = await bench.queue.enqueue(greet, { name: 'Ada' }, { delay: '2h' });
    const job = await bench.queue.find(id);
    expect(job?.state).toBe('scheduled');
    expect(job!.runAt.getTime() - job!.createdAt.getTime()).toBe(2 * 60 * 60 * 1000);
  });

  test('a time that has passed makes a job ready, a time to come schedules it', async () => {
    const past = await bench.queue.enqueue(greet, { name: 'Ada' }, { runAt: new Date(Date.now() - 60_000) });
    const future = await bench.queue.enqueue(greet, { name: 'Ada' }, { runAt: new Date(Date.now() + 60_000) });
    expect((await bench.queue.find(past.id))?.state).toBe('ready');
    expect((await bench.queue.find(future.id))?.state).toBe('scheduled');
  });

  test('calls made at the same time each get their own job', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `caller ${index}`);
    const jobs = await Promise.all(names.map((name) => bench.queue.enqueue(greet, { name })));
    const stored = await bench.liveJobs();
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(50);
    expect(stored.map(({ payload }) => (JSON.parse(payload!) as { name: string }).name).sort()).toEqual(names.sort());
  });

  test.each([
    ['jobs', PLAIN_KINDS],
    ['jobs with tenants', KINDS_WITH_TENANTS],
    ['jobs with priorities', KINDS_WITH_PRIORITIES],
    ['jobs of all kinds', ALL_KINDS],
  ])('enqueueMany stores %s as enqueue does, alone or beside others', async (_title, kinds) => {
    const rows = async () => (await bench.liveJobs()).sort((a, b) => (a.id < b.id ? -1 : 1)).map(withoutMoment);
    for (const { payload, ...options } of kinds) {
      await bench.queue.enqueue(send, payload, options);
    }
    const alone = await rows();
    await bench.reset();
    await bench.queue.enqueueMany(send, kinds);
    expect(alone).toHaveLength(kinds.length);
    expect(await rows()).toEqual(alone);
  });

  test('enqueueMany refuses what is no array, such as a set, which has no length and would store nothing', async () => {
    const set = new Set([{ payload: { name: 'Ada' } }]);
    const stored = bench.queue.enqueueMany(greet, set as unknown as BulkJob<{ name: string }>[]);
    await expect(stored).rejects.toThrow(InvalidOptionError);
    await expect(stored).rejects.toThrow(`The option "jobs" is '[object Set]', but must be a list of jobs.`);
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('enqueueMany stores all jobs in their order', async () => {
    const jobs = Array.from({ length: 1200 }, (_, index) => ({
      payload: { name: `${index}` },
      key: `bulk:${index % 3}`,
    }));
    const stored = await bench.queue.enqueueMany(greet, jobs);
    expect(stored).toHaveLength(1200);
    expect(stored.map(({ id }) => id)).toEqual(stored.map(({ id }) => id).sort());
    expect((await bench.queue.find(stored[1199]!.id))?.payload).toEqual({ name: '1199' });
    expect(await bench.queue.findByKey('bulk:1')).toHaveLength(400);
  });

  test('jobs of one call are stored with their queues and names, the same or different ones', async () => {
    const one = defineJob<number>('2.names:of/all-the_Letters', { queue: 'A/queue-of:its_own.1' });
    const other = defineJob<number>('other', { queue: one.queue });
    const numbers = Array.from({ length: 150 }, (_, index) => index);
    const stored = async () =>
      (await bench.liveJobs()).map(({ queue, name, payload }) => [queue, name, payload].join());
    const expected = (nameOf: (number: number) => string) => {
      return numbers.map((number) => [one.queue, nameOf(number), number].join()).sort();
    };

    await bench.queue.enqueueMany(
      one,
      numbers.map((payload) => ({ payload })),
    );
    expect((await stored()).sort()).toEqual(expected(() => one.name));

    await bench.reset();
    await Promise.all(numbers.map((number) => bench.queue.enqueue(number % 2 ? one : other, number)));
    expect((await stored()).sort()).toEqual(expected((number) => (number % 2 ? one.name : other.name)));
  });

  test('text, numbers and structure come back exactly', async () => {
    const payload = {
      name: `quote ' " \\ nul \u0000 emoji 🦊 lone \ud800 line\nend`,
      deep: { list: [1, -0.5, 1e300, true, null, { __proto__x: 1 }] },
    };
    const { id } = await bench.queue.enqueue(greet, payload);
    expect((await bench.queue.find(id))?.payload).toEqual(payload);
  });

  test('no payload is no payload, also for a schema', async () => {
    const bare = defineJob('bare');
    const optional = defineJob('optional', { schema: z.object({ a: z.int() }).optional() });
    const { id } = await bench.queue.enqueue(bare);
    expect((await bench.queue.find(id))?.payload).toBeUndefined();
    await bench.queue.enqueue(optional);
    await bench.queue.enqueueMany(bare, [{ key: 'a' }, { key: 'b' }]);
    expect(await bench.liveJobs()).toHaveLength(4);
    const loose = defineJob('loose', { schema: z.any() });
    await bench.queue.enqueue(loose, { anything: 1 });
  });

  test('a job just stored in a transaction can be looked up there', async () => {
    await bench.dataSource.transaction(async (manager) => {
      const { id } = await bench.queue.enqueue(greet, { name: 'Ada' }, { manager, key: 'k' });
      expect((await bench.queue.find(id, { manager }))?.payload).toEqual({ name: 'Ada' });
      expect(await bench.queue.findByKey('k', { manager })).toHaveLength(1);
    });
  });

  test('a key that many jobs share', async () => {
    await bench.queue.enqueueMany(
      greet,
      Array.from({ length: 2500 }, () => ({ payload: { name: 'x' }, key: 'shared' })),
    );
    expect(await bench.queue.findByKey('shared')).toHaveLength(2500);
    expect(await bench.queue.cancelByKey('shared')).toEqual({ cancelled: 2500, requested: 0 });
    expect(await bench.queue.cancelByKey('shared')).toEqual({ cancelled: 0, requested: 0 });
  });

  test('find knows nothing of a job that does not exist', async () => {
    expect(await bench.queue.find('0190a0a0-0000-7000-8000-000000000000')).toBeUndefined();
    expect(await bench.queue.findByKey('nobody')).toEqual([]);
  });

  test('times do not depend on the time zone of the session', async () => {
    if (engine !== 'sqlite') {
      await bench.dataSource.transaction(async (manager) => {
        await manager.query("SET time_zone = '+05:30'");
        await bench.queue.enqueue(greet, { name: 'Ada' }, { manager });
        const [row] = (await manager.query('SELECT created_at FROM tq_job')) as { created_at: string }[];
        expect(Math.abs(Number(row?.created_at) - Date.now())).toBeLessThan(60_000);
        await manager.query("SET time_zone = '+00:00'");
      });
    }
    const { id } = await bench.queue.enqueue(greet, { name: 'Ada' });
    expect(Math.abs((await bench.queue.find(id))!.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
  });
});

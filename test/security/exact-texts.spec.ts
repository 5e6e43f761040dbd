import { describe, expect, test } from '@jest/globals';
import { InvalidNameError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { ODD_TEXTS } from './odd-texts.js';

const anything = defineJob<unknown>('anything', { retry: { attempts: 1 } });

/** What no such text may be. */
const REFUSED: readonly (readonly [string, unknown])[] = [
  ['nothing', ''],
  ['192 characters', 'k'.repeat(192)],
  ['a space at the end', 'a '],
  ['a NUL', 'a\0'],
  ['the first half of a surrogate pair', 'a\ud83e'],
  ['the second half', '\udd8aa'],
  ['a number', 1],
  ['null', null],
  ['a String object', Object('a')],
  ['a list', ['a']],
];

describeOnOlderToo('texts are exact', (engine) => {
  const bench = useWorkbench(engine);

  test('keys find only the jobs with exactly this key', async () => {
    await bench.queue.enqueueMany(
      anything,
      ODD_TEXTS.map((key) => ({ payload: key, key })),
    );
    for (const key of ODD_TEXTS) {
      expect((await bench.queue.findByKey(key)).map((job) => [job.key, job.payload])).toEqual([[key, key]]);
    }
    for (const key of ODD_TEXTS) {
      expect(await bench.queue.cancelByKey(key)).toEqual({ cancelled: 1, requested: 0 });
    }
    expect((await bench.finishedJobs()).map(({ key }) => key ?? '').sort()).toEqual([...ODD_TEXTS].sort());
  });

  test('unique keys clash with themselves, and with no other', async () => {
    const first = new Map<string, string>();
    for (const key of ODD_TEXTS) {
      const { id, created } = await bench.queue.enqueue(anything, key, { unique: { key } });
      expect([key, created]).toEqual([key, true]);
      first.set(key, id);
    }
    const again = await bench.queue.enqueueMany(
      anything,
      ODD_TEXTS.map((key) => ({ payload: 0, unique: { key } })),
    );
    expect(again.map(({ id, created }) => [id, created])).toEqual(ODD_TEXTS.map((key) => [first.get(key), false]));
  });

  test('each text is a separate tenant: a limit of one lets one job of each run', async () => {
    await bench.queue.control.limit('default', { concurrencyPerTenant: 1 });
    const jobs = ODD_TEXTS.flatMap((tenant) => [1, 2].map(() => ({ payload: tenant, tenant })));
    await bench.queue.enqueueMany(anything, jobs);
    const running: string[] = [];
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handler = jobHandler(anything, (tenant) => {
      running.push(tenant as string);
      return released;
    });
    await bench.work([handler], { concurrency: 100 });
    await waitFor('one of each runs', () => running.length >= ODD_TEXTS.length);
    expect([...running].sort()).toEqual([...ODD_TEXTS].sort());
    expect((await bench.liveJobs()).filter(({ state }) => state === 'running')).toHaveLength(ODD_TEXTS.length);
    release?.();
    await waitFor('all have run', () => running.length === jobs.length);
  });

  test('locks of different names are different locks', async () => {
    const locks = ODD_TEXTS.map((name) => bench.queue.lock(name));
    for (const lock of locks) {
      expect(await lock.tryLock()).toBe(true);
    }
    for (const name of ODD_TEXTS) {
      expect(await bench.queue.lock(name).tryLock()).toBe(false);
    }
    for (const lock of locks) {
      expect(await lock.release()).toBe(true);
    }
  });

  test('queues, jobs and schedules whose names differ in case', async () => {
    for (const name of ['Mail', 'mail', 'MAIL', 'mail.', 'mail-']) {
      await bench.queue.enqueue(defineJob(name, { queue: name }));
      await bench.queue.recurring.set(name, defineJob(name), undefined, { every: '1h' });
      await bench.queue.control.limit(name, { concurrency: name.length });
    }
    expect((await bench.queue.counts()).map(({ queue, ready }) => `${queue} ${ready.count}`).sort()).toEqual(
      ['MAIL', 'Mail', 'mail', 'mail-', 'mail.'].map((queue) => `${queue} 1`),
    );
    expect((await bench.queue.recurring.list()).map(({ name }) => name).sort()).toEqual([
      'MAIL',
      'Mail',
      'mail',
      'mail-',
      'mail.',
    ]);
    await bench.queue.control.pause('Mail');
    const paused = (await bench.queue.control.list()).filter(({ pausedAt }) => pausedAt);
    expect(paused.map(({ queue }) => queue)).toEqual(['Mail']);
    expect(await bench.queue.cancelMany({ queue: 'MAIL' })).toEqual({ cancelled: 1, requested: 0 });
  });

  describe('inexact texts are rejected', () => {
    test.each(REFUSED)('%s', async (_what, text) => {
      const value = text as string;
      await expect(bench.queue.enqueue(anything, 1, { tenant: value })).rejects.toThrow(InvalidNameError);
      await expect(bench.queue.enqueueMany(anything, [{ payload: 1, key: value }])).rejects.toThrow(InvalidNameError);
      await expect(bench.queue.findByKey(value)).rejects.toThrow(InvalidNameError);
      await expect(bench.queue.cancelByKey(value)).rejects.toThrow(InvalidNameError);
      await expect((async () => bench.queue.lock(value))()).rejects.toThrow(InvalidNameError);
      await expect(
        bench.queue.recurring.set('s', anything, 1, { every: '1h', tenant: value, key: value }),
      ).rejects.toThrow(InvalidNameError);
      const member = { definition: anything, payload: 1, key: value };
      await expect(
        bench.queue.groups.enqueue({ jobs: [member], onComplete: { definition: anything, payload: 1 } }),
      ).rejects.toThrow(InvalidNameError);
      const made = defineJob<unknown>('made', { unique: { key: () => value } });
      await expect(bench.queue.enqueue(made, 1)).rejects.toThrow(InvalidNameError);
      const owned = defineJob<unknown>('owned', { tenant: () => value });
      await expect(bench.queue.enqueue(owned, 1)).rejects.toThrow(InvalidNameError);
      expect(await bench.liveJobs()).toEqual([]);
    });
  });
});

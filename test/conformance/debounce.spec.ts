import { expect, test } from '@jest/globals';
import { InvalidOptionError, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { expectCreated, expectExisting } from '../support/unique-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

interface Save {
  readonly document: string;
  readonly text: number;
}

const DELAY = 20_000;
const MAX_WAIT = 45_000;
/** What the clock of the database may go on between two statements of a test, in ms. */
const SLACK = 10_000;

const save = defineJob<Save>('document.save', {
  unique: { key: ({ document }) => document, while: 'queued', onConflict: 'replace', maxWait: MAX_WAIT },
});

describeEach('debounce, throttle and singleton', (engine) => {
  const bench = useWorkbench(engine);

  async function savedTexts(): Promise<() => readonly number[]> {
    const texts: number[] = [];
    await bench.work([jobHandler(save, ({ text }) => void texts.push(text))]);
    return () => texts;
  }

  test('six enqueues become one run with the last payload, a delay after the last one', async () => {
    for (let text = 1; text <= 6; text++) {
      const { created, replaced } = await bench.queue.enqueue(save, { document: 'a', text }, { delay: DELAY });
      expect([created, replaced]).toEqual([text === 1, text > 1]);
      bench.clock.advance('5s');
    }
    const [job] = await bench.liveJobs();
    expect(job!.runAt - job!.createdAt).toBeGreaterThan(25_000 + DELAY - 1);
    const texts = await savedTexts();
    bench.clock.advance(DELAY);
    await waitFor('it has run', () => bench.isEmpty());
    expect(texts()).toEqual([6]);
  });

  test('a job that is replaced again and again is due maxWait after its first enqueue', async () => {
    await bench.queue.enqueue(save, { document: 'b', text: 0 }, { delay: DELAY });
    for (let text = 1; text <= 6; text++) {
      bench.clock.advance('7s');
      await bench.queue.enqueue(save, { document: 'b', text }, { delay: DELAY });
    }
    const [job, ...others] = await bench.liveJobs();
    expect(others).toEqual([]);
    expect(job!.runAt - job!.createdAt).toBe(MAX_WAIT);
    expect(job!.state).toBe('scheduled');
    const texts = await savedTexts();
    bench.clock.advance(MAX_WAIT - 42_000);
    await waitFor('it has run', () => bench.isEmpty());
    expect(texts()).toEqual([6]);
  });

  test('a job that is overdue stays so, with the last payload', async () => {
    await bench.queue.enqueue(save, { document: 'c', text: 1 }, { delay: DELAY });
    bench.clock.advance(MAX_WAIT + SLACK);
    await bench.queue.enqueue(save, { document: 'c', text: 2 }, { delay: DELAY });
    const [job] = await bench.liveJobs();
    expect(job).toMatchObject({ state: 'ready' });
    expect(job!.runAt - job!.createdAt).toBe(MAX_WAIT);
    const texts = await savedTexts();
    await waitFor('it has run', () => bench.isEmpty());
    expect(texts()).toEqual([2]);
  });

  test('each key waits alone, in one statement and in transactions', async () => {
    const job = (document: string, text: number) => ({ payload: { document, text }, delay: DELAY });
    await bench.queue.enqueueMany(save, [job('d', 1), job('e', 1), job('d', 2)]);
    bench.clock.advance(MAX_WAIT - 5_000);
    await bench.dataSource.transaction((manager) =>
      bench.queue.enqueueMany(save, [job('e', 3), job('d', 3), job('f', 1)], { manager }),
    );
    const waits = (await bench.liveJobs()).map(({ runAt, createdAt }) => runAt - createdAt);
    expect(waits.toSorted((a, b) => a - b)).toEqual([DELAY, MAX_WAIT, MAX_WAIT]);
  });

  test('throttle: a period lets one job through, whether it has ended or not', async () => {
    const options = { unique: { key: 'k', period: '1m' } } as const;
    const first = await bench.queue.enqueue(save, { document: 'g', text: 1 }, options);
    expectCreated(first);
    const texts = await savedTexts();
    await waitFor('it has run', () => bench.isEmpty());
    for (let text = 2; text <= 6; text++) {
      expectExisting(await bench.queue.enqueue(save, { document: 'g', text }, options), first.id);
    }
    bench.clock.advance('1m');
    expectCreated(await bench.queue.enqueue(save, { document: 'g', text: 7 }, options));
    await waitFor('it has run', () => bench.isEmpty());
    expect(texts()).toEqual([1, 7]);
  });

  test('singleton: one waits or runs at a time, over its retries', async () => {
    const attempts: number[] = [];
    const sync = defineJob<number>('sync', {
      unique: { key: () => 'all' },
      retry: { attempts: 2, backoff: fixed('1h') },
    });
    const first = await bench.queue.enqueue(sync, 1);
    const handler = jobHandler(sync, (number, { attempt }) => {
      attempts.push(number);
      if (attempt === 1) {
        throw new Error('once');
      }
    });
    await bench.work([handler]);
    await bench.untilJobIs(first.id, 'scheduled');
    expectExisting(await bench.queue.enqueue(sync, 2), first.id);
    bench.clock.advance('2h');
    await waitFor('it has ended', () => bench.isEmpty());
    expectCreated(await bench.queue.enqueue(sync, 3));
    await waitFor('both have run', () => attempts.includes(3));
    expect(attempts).toEqual([1, 1, 3]);
  });

  test.each([
    [{ delay: DELAY, unique: { while: 'queued', maxWait: MAX_WAIT } }],
    [{ delay: MAX_WAIT + 1, unique: { while: 'queued', onConflict: 'replace', maxWait: MAX_WAIT } }],
    [{ runAt: new Date('2200-01-01'), unique: { while: 'queued', onConflict: 'replace', maxWait: MAX_WAIT } }],
    [{ delay: 0, unique: { while: 'queued', onConflict: 'replace', maxWait: 0 } }],
  ] as const)('refuses %j', async (options) => {
    await expect(bench.queue.enqueue(save, { document: 'h', text: 1 }, options as object)).rejects.toThrow(
      InvalidOptionError,
    );
    expect(await bench.liveJobs()).toEqual([]);
  });
});

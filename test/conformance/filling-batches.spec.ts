import { expect, test } from '@jest/globals';
import {
  type BatchJob,
  type BatchOptions,
  InvalidOptionError,
  UnknownOptionError,
  batchHandler,
  defineJob,
} from '@tablequeue/typeorm';
import { TestingQueue } from '@tablequeue/typeorm/testing';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

interface Contact {
  readonly account: string;
  readonly number: number;
}

const sync = defineJob<Contact>('sync');

describeEach('batches that fill', (engine) => {
  const bench = useWorkbench(engine);

  /** Starts a worker. Returns the numbers of each call, and counts the started jobs. */
  async function work(options: BatchOptions<Contact>, { definition = sync, concurrency = 20 } = {}) {
    const calls: number[][] = [];
    const handle = (jobs: readonly BatchJob<Contact>[]) => void calls.push(jobs.map(({ payload }) => payload.number));
    const worker = bench.worker([batchHandler(definition, handle, options)], { concurrency });
    const counts = { started: 0, succeeded: 0, failed: 0, cancelled: 0 };
    for (const event of ['started', 'succeeded', 'failed', 'cancelled'] as const) {
      worker.events.on(event, () => counts[event]++);
    }
    await worker.start();
    return { calls, counts, worker };
  }

  const add = (number: number, account = 'a', definition = sync) =>
    bench.queue.enqueue(definition, { account, number });

  test('a call waits for as many jobs as it takes, from several claims', async () => {
    const { calls, counts } = await work({ size: 3, maxWait: '1h' });
    for (let number = 1; number <= 7; number++) {
      await add(number);
      await waitFor('it is claimed', () => counts.started === number);
    }
    await waitFor('two calls are made', () => counts.succeeded === 6);
    expect(calls).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(await bench.liveJobs()).toMatchObject([{ state: 'running' }]);
  });

  test('after maxWait the call gets what is there', async () => {
    const { calls } = await work({ size: 3, maxWait: 300 });
    await Promise.all([add(1), add(2)]);
    await waitFor('both have ended', () => bench.isEmpty());
    expect(calls.flat().toSorted((a, b) => a - b)).toEqual([1, 2]);
    await add(3);
    await waitFor('it has ended', () => bench.isEmpty());
    expect(calls.at(-1)).toEqual([3]);
  });

  test('only jobs with the same key share a call', async () => {
    const { calls, counts } = await work({ size: 2, maxWait: '1h', by: ({ account }) => account });
    await bench.queue.enqueueMany(
      sync,
      ['a', 'b', 'c', 'a', 'b'].map((account, index) => ({ payload: { account, number: index + 1 } })),
    );
    await waitFor('two pairs have ended', () => counts.succeeded === 4);
    expect(calls.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
      [1, 4],
      [2, 5],
    ]);
    await add(6, 'c');
    await waitFor('the third pair has ended', () => bench.isEmpty());
    expect(calls.at(-1)).toEqual([3, 6]);
  });

  test('without maxWait the jobs of one claim are split by key', async () => {
    await bench.queue.enqueueMany(
      sync,
      ['a', '', 'a', '𝒷 "%'].map((account, index) => ({ payload: { account, number: index + 1 } })),
    );
    const { calls } = await work({ by: ({ account }) => account });
    await waitFor('all have ended', () => bench.isEmpty());
    expect(calls.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([[1, 3], [2], [4]]);
  });

  test('no call waits while no slot is free', async () => {
    const { calls } = await work({ size: 10, maxWait: '1h', by: ({ account }) => account }, { concurrency: 4 });
    await bench.queue.enqueueMany(
      sync,
      Array.from({ length: 8 }, (_each, number) => ({ payload: { account: `account-${number}`, number } })),
    );
    await waitFor('all have ended', () => bench.isEmpty());
    expect(calls.flat().toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('a worker that stops makes the call', async () => {
    const { calls, counts, worker } = await work({ size: 10, maxWait: '1h' });
    await add(1);
    await waitFor('it is claimed', () => counts.started === 1);
    await worker.stop();
    expect(calls).toEqual([[1]]);
    expect(await bench.isEmpty()).toBe(true);
  });

  test('a job that is cancelled while it waits ends at once, and its place is free', async () => {
    const { calls, counts } = await work({ size: 2, maxWait: '1h' });
    const { id } = await add(1);
    await waitFor('it is claimed', () => counts.started === 1);
    expect(await bench.queue.cancel(id)).toBe('requested');
    await waitFor('it is cancelled', () => counts.cancelled === 1);
    await add(2);
    await waitFor('the next one is claimed', () => counts.started === 2);
    expect(calls).toEqual([]);
    await add(3);
    await waitFor('they have ended', () => bench.isEmpty());
    expect(calls).toEqual([[2, 3]]);
  });

  test('the wait does not count towards the timeout', async () => {
    const quick = defineJob<Contact>('quick', { timeout: 200, retry: { attempts: 1 } });
    const { calls, counts } = await work({ size: 2, maxWait: 600 }, { definition: quick });
    await add(1, 'a', quick);
    await waitFor('it has ended', () => bench.isEmpty());
    expect(calls).toEqual([[1]]);
    expect(counts).toMatchObject({ succeeded: 1, failed: 0 });
  });

  test('a key that is no string fails the attempt', async () => {
    const once = defineJob<Contact>('once', { retry: { attempts: 1 } });
    const by = ({ number }: Contact) => (number === 1 ? (1 as unknown as string) : String(number));
    const { calls } = await work({ by, size: 1, maxWait: '1h' }, { definition: once });
    const { id } = await add(1, 'a', once);
    await add(2, 'a', once);
    await waitFor('both have ended', () => bench.isEmpty());
    expect(calls).toEqual([[2]]);
    expect((await bench.queue.find(id))?.errors.at(-1)?.error).toContain('batch.by');
  });

  test('the testing kit does not wait', async () => {
    const calls: number[] = [];
    const handler = batchHandler(sync, (jobs) => void calls.push(jobs.length), { size: 5, maxWait: '1h' });
    await Promise.all([add(1), add(2)]);
    expect(await new TestingQueue(bench.queue, [handler]).drain()).toHaveLength(2);
    expect(calls).toEqual([2]);
  });

  test.each([
    [{ maxWait: 0 }, InvalidOptionError],
    [{ maxWait: '25d' }, InvalidOptionError],
    [{ by: 'account' }, InvalidOptionError],
    [{ timeout: 1 }, UnknownOptionError],
  ])('refuses %j', (options, error) => {
    expect(() => batchHandler(sync, () => undefined, options as object)).toThrow(error);
  });
});

import { expect, test } from '@jest/globals';
import {
  DuplicateJobError,
  InvalidNameError,
  InvalidOptionError,
  UnknownOptionError,
  defineJob,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';
import { Reaper, TableQueueUnique } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import {
  type Index,
  expectCreated,
  expectExisting,
  heldJob,
  indexJob,
  queued,
  runAll,
  runHeld,
  unfinished,
} from '../support/unique-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

class Rollback extends Error {}

describeEach('unique jobs', (engine) => {
  const bench = useWorkbench(engine);

  test('no other job is created while one with the key is unfinished', async () => {
    const first = await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished });
    expectCreated(first);
    expectExisting(await bench.queue.enqueue(indexJob, { product: 2 }, { unique: unfinished }), first.id);
    expectCreated(await bench.queue.enqueue(indexJob, { product: 2 }, { unique: { key: 'other' } }));
    expectCreated(await bench.queue.enqueue(heldJob, undefined, { unique: unfinished }));
    expectCreated(await bench.queue.enqueue(indexJob, { product: 2 }));
    expect(await bench.liveJobs()).toHaveLength(4);
    await runAll(bench);
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
    expectCreated(await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished }));
  });

  test('an unfinished job has its key while it runs, and until its last attempt has failed', async () => {
    const { id, runs } = await runHeld(bench, unfinished);
    expectExisting(await bench.queue.enqueue(heldJob, undefined, { unique: unfinished }), id);
    runs[0]!.fail(new Error('once'));
    await bench.untilJobIs(id, 'scheduled');
    expectExisting(await bench.queue.enqueue(heldJob, undefined, { unique: unfinished }), id);
    await bench.stopWorkers();
    await bench.queue.cancel(id);
    expectCreated(await bench.queue.enqueue(heldJob, undefined, { unique: unfinished }));
  });

  test('a queued job has its key until it is first claimed, and not again', async () => {
    const { id, runs } = await runHeld(bench, queued);
    const second = await bench.queue.enqueue(heldJob, undefined, { unique: { ...queued } });
    expectCreated(second);
    await waitFor('the second runs too', () => runs.length === 2);
    const third = await bench.queue.enqueue(heldJob, undefined, { unique: queued, delay: '1h' });
    expectCreated(third);
    runs[0]!.fail(new Error('once'));
    await bench.untilJobIs(id, 'scheduled');
    expectExisting(await bench.queue.enqueue(heldJob, undefined, { unique: queued }), third.id);
    runs[1]!.end();
    await bench.untilJobIs(second.id, 'succeeded');
    expectExisting(await bench.queue.enqueue(heldJob, undefined, { unique: queued }), third.id);
    expect(await bench.rows(TableQueueUnique)).toMatchObject([{ key: 'k', jobId: third.id, lasts: 'queued' }]);
  });

  test('a window outlasts the job; then the key is free, and its row is deleted', async () => {
    const unique = { key: 'k', period: '10m' } as const;
    const { id } = await bench.queue.enqueue(indexJob, { product: 1 }, { unique });
    await runAll(bench);
    expectExisting(await bench.queue.enqueue(indexJob, { product: 1 }, { unique }), id);
    bench.clock.advance('9m');
    expectExisting(await bench.queue.enqueue(indexJob, { product: 1 }, { unique }), id);
    bench.clock.advance('2m');
    const next = await bench.queue.enqueue(indexJob, { product: 1 }, { unique });
    expectCreated(next);
    expectExisting(await bench.queue.enqueue(indexJob, { product: 1 }, { unique }), next.id);
    const reaper = new Reaper(bench.queue.engine);
    await reaper.runOnce();
    expect(await bench.rows(TableQueueUnique)).toHaveLength(1);
    bench.clock.advance('11m');
    await reaper.runOnce();
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
  });

  test('with both, the key is free when the job has let go of it and its window is over', async () => {
    for (const span of ['queued', 'unfinished'] as const) {
      const unique = { key: span, while: span, period: '10m' } as const;
      const { id } = await bench.queue.enqueue(indexJob, { product: 1 }, { unique });
      bench.clock.advance('11m');
      expectExisting(await bench.queue.enqueue(indexJob, { product: 1 }, { unique }), id);
      await runAll(bench);
      const second = await bench.queue.enqueue(indexJob, { product: 1 }, { unique });
      expectCreated(second);
      await runAll(bench);
      expectExisting(await bench.queue.enqueue(indexJob, { product: 1 }, { unique }), second.id);
      bench.clock.advance('11m');
      expectCreated(await bench.queue.enqueue(indexJob, { product: 1 }, { unique }));
      await runAll(bench);
    }
  });

  test('throwing names the job, the key and the id, and stores nothing', async () => {
    const { id } = await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished });
    const refused = bench.queue.enqueue(indexJob, { product: 2 }, { unique: { ...unfinished, onConflict: 'throw' } });
    await expect(refused).rejects.toMatchObject({ name: 'DuplicateJobError', jobName: 'index', key: 'k', id });
    const bulk = ['a', 'k', 'b'].map((key) => ({
      payload: { product: 3 },
      unique: { key, onConflict: 'throw' as const },
    }));
    await expect(bench.queue.enqueueMany(indexJob, bulk)).rejects.toThrow(DuplicateJobError);
    // The caller may catch it and commit what it has done otherwise.
    await bench.dataSource.transaction(async (manager) => {
      await expect(bench.queue.enqueueMany(indexJob, bulk, { manager })).rejects.toThrow(DuplicateJobError);
    });
    expect(await bench.liveJobs()).toHaveLength(1);
    expect(await bench.rows(TableQueueUnique)).toHaveLength(1);
  });

  test('replacing gives the waiting job the new payload and options', async () => {
    const rules = { ...unfinished, while: 'unfinished', onConflict: 'replace' } as const;
    const options = { unique: rules, delay: '1h', key: 'old' } as const;
    const { id, created: isNew } = await bench.queue.enqueue(indexJob, { product: 1 }, options);
    expect(isNew).toBe(true);
    const again = { unique: rules, priority: -5, key: 'new' };
    expect(await bench.queue.enqueue(indexJob, { product: 2 }, again)).toEqual({ id, created: false, replaced: true });
    expect(await bench.queue.find(id)).toMatchObject({
      state: 'ready',
      payload: { product: 2 },
      priority: -5,
      key: 'new',
    });
    expect(await bench.queue.findByKey('old')).toEqual([]);
    expect(await bench.queue.findByKey('new')).toMatchObject([{ id }]);
    const runAt = new Date('2200-01-01T00:00:00.000Z');
    await bench.queue.enqueue(indexJob, { product: 3 }, { unique: rules, runAt });
    expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled', runAt, key: undefined, priority: 0 });
    expect(await bench.queue.findByKey('new')).toEqual([]);
    expect(await bench.liveJobs()).toHaveLength(1);
  });

  test('a job that runs is not replaced; one that waits for its next attempt has not failed yet then', async () => {
    const flaky = defineJob<number>('flaky', { retry: { attempts: 2, backoff: fixed('1h') } });
    const seen: number[] = [];
    let fail: (error: Error) => void = () => undefined;
    const handler = jobHandler(flaky, (payload) => {
      seen.push(payload);
      return new Promise((_resolve, reject) => (fail = reject));
    });
    const worker = await bench.work([handler]);
    const unique = { key: 'k', while: 'unfinished', onConflict: 'replace' } as const;
    const { id } = await bench.queue.enqueue(flaky, 1, { unique });
    await waitFor('it runs', () => seen.length === 1);
    expectExisting(await bench.queue.enqueue(flaky, 2, { unique }), id);
    fail(new Error('once'));
    await bench.untilJobIs(id, 'scheduled');
    expect(await bench.queue.enqueue(flaky, 3, { unique })).toEqual({ id, created: false, replaced: true });
    await waitFor('it runs again', () => seen.length === 2);
    expect(seen).toEqual([1, 3]);
    fail(new Error('twice'));
    await bench.untilJobIs(id, 'scheduled');
    expect(await bench.queue.find(id)).toMatchObject({ attempt: 2, failures: 1 });
    await worker.stop();
  });

  test('a definition makes its jobs unique, by a function or by the payload', async () => {
    const byFunction = defineJob<Index>('by-function', { unique: { key: ({ product }) => `product:${product}` } });
    const first = await bench.queue.enqueue(byFunction, { product: 1, full: true });
    expectExisting(await bench.queue.enqueue(byFunction, { product: 1 }), first.id);
    expectCreated(await bench.queue.enqueue(byFunction, { product: 2 }));
    expectCreated(await bench.queue.enqueue(byFunction, { product: 1 }, { unique: { key: 'of its own' } }));

    const byPayload = defineJob<Index>('by-payload', { unique: { while: 'queued' } });
    const second = await bench.queue.enqueue(byPayload, { product: 1, full: true });
    expectExisting(await bench.queue.enqueue(byPayload, { full: true, product: 1 }), second.id);
    expectCreated(await bench.queue.enqueue(byPayload, { product: 1 }));
    const bare = defineJob('bare', { unique: {} });
    const third = await bench.queue.enqueue(bare);
    expectExisting(await bench.queue.enqueue(bare), third.id);
  });

  test('of many, each is reported; among themselves the first comes first', async () => {
    const { id } = await bench.queue.enqueue(indexJob, { product: 0 }, { unique: { key: 'z' } });
    const replace = { while: 'unfinished', onConflict: 'replace' } as const;
    const jobs = await bench.queue.enqueueMany(indexJob, [
      { payload: { product: 1 }, unique: { key: 'z' } },
      { payload: { product: 2 }, unique: { key: 'y' } },
      { payload: { product: 3 } },
      { payload: { product: 4 }, unique: { key: 'y' } },
      { payload: { product: 5 }, unique: { key: 'x', ...replace } },
      { payload: { product: 6 }, unique: { key: 'x', ...replace } },
      { payload: { product: 7 }, unique: { key: 'z', ...replace } },
    ]);
    expect(jobs.map((job) => [job.created, job.replaced])).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [false, false],
      [true, false],
      [false, true],
      [false, true],
    ]);
    expect([jobs[0]!.id, jobs[6]!.id]).toEqual([id, id]);
    expect(jobs[3]!.id).toBe(jobs[1]!.id);
    expect(jobs[5]!.id).toBe(jobs[4]!.id);
    const stored = (await bench.liveJobs()).map(({ payload }) => (JSON.parse(payload!) as Index).product);
    expect(stored.sort((a, b) => a - b)).toEqual([2, 3, 6, 7]);
  });

  test('a thousand keys at once, and again', async () => {
    const jobs = Array.from({ length: 1000 }, (_, product) => ({
      payload: { product },
      unique: { key: `product:${(product * 7) % 1000}` },
    }));
    expect((await bench.queue.enqueueMany(indexJob, jobs)).every((job) => job.created)).toBe(true);
    const again = await bench.queue.enqueueMany(indexJob, [
      ...jobs.toReversed(),
      { payload: { product: -1 }, unique: { key: 'one more' } },
    ]);
    expect(again.filter((job) => job.created)).toHaveLength(1);
    await runAll(bench);
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
    expect(await bench.finishedJobs()).toHaveLength(1001);
  });

  test('in a transaction the key is acquired by the commit, and freed by a rollback', async () => {
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      expectCreated(await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished, manager }));
      throw new Rollback();
    });
    await expect(rolledBack).rejects.toThrow(Rollback);
    const { id } = await bench.dataSource.transaction(async (manager) => {
      const first = await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished, manager });
      expectCreated(first);
      expectExisting(await bench.queue.enqueue(indexJob, { product: 2 }, { unique: unfinished, manager }), first.id);
      expect(await bench.queue.cancel(first.id, { manager })).toBe('cancelled');
      return bench.queue.enqueue(indexJob, { product: 3 }, { unique: unfinished, manager });
    });
    expect((await bench.liveJobs()).map((job) => job.id)).toEqual([id]);
  });

  test('without a transaction a query runner is refused', async () => {
    const queryRunner = bench.dataSource.createQueryRunner();
    const refused = bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished, queryRunner });
    await expect(refused).rejects.toThrow(InvalidOptionError);
    await queryRunner.release();
  });

  test.each([
    [{ unique: { while: 'running' } }, InvalidOptionError],
    [{ unique: { key: '' } }, InvalidNameError],
    [{ unique: { key: () => 'k' } }, InvalidOptionError],
    [{ unique: { onConflict: 'ignore' } }, InvalidOptionError],
    [{ unique: { onConflict: 'replace' } }, InvalidOptionError],
    [{ unique: { period: 0 } }, InvalidOptionError],
    [{ unique: { for: '1m' } }, UnknownOptionError],
    [{ unique: true }, InvalidOptionError],
  ])('refuses %p', async (options, error) => {
    await expect(bench.queue.enqueue(indexJob, { product: 1 }, options as never)).rejects.toThrow(error);
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('a job of a dead worker is as unique as before', async () => {
    const { id, runs, worker } = await runHeld(bench, unfinished);
    await worker.stopClaiming();
    bench.clock.advance('1h');
    expect(await new Reaper(bench.queue.engine).runOnce()).toMatchObject({ returned: 1 });
    expectExisting(await bench.queue.enqueue(heldJob, undefined, { unique: unfinished }), id);
    runs[0]!.end('too late');
    await waitFor('its worker has noticed', () => worker.activeJobs === 0);
    expectExisting(await bench.queue.enqueue(heldJob, undefined, { unique: unfinished }), id);
  });

  test('a key whose row was deleted by hand blocks nothing', async () => {
    const { id } = await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished });
    await bench.dataSource.getRepository(TableQueueUnique).delete({ jobId: id });
    await runAll(bench);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'succeeded' });
  });
});

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  DuplicateJobError,
  type EnqueuedJob,
  InvalidNameError,
  InvalidOptionError,
  Reaper,
  TableQueueUnique,
  UnknownOptionError,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

interface Index {
  readonly product: number;
  readonly full?: boolean;
}

const index = defineJob<Index>('index');
const held = defineJob('held');
const unfinished = { key: 'k' } as const;
const queued = { key: 'k', while: 'queued' } as const;

class Rollback extends Error {}

describeEach('unique jobs', (engine) => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await Workbench.open(engine);
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  const created = (job: EnqueuedJob) => expect(job).toMatchObject({ created: true, replaced: false });
  const existing = (job: EnqueuedJob, id: string) => expect(job).toEqual({ id, created: false, replaced: false });

  /** Enqueues the held job and waits until it runs. */
  async function running(unique: object) {
    const { runs, handler } = heldHandler(held);
    const worker = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(held, undefined, { unique });
    await waitFor('it runs', () => runs.length === 1);
    return { id, runs, worker, handler };
  }

  /** Runs everything there is with handlers that do nothing. */
  async function runAll(): Promise<void> {
    await bench.work([jobHandler(index, () => undefined), jobHandler(held, () => undefined)]);
    await waitFor('all have ended', async () => (await bench.liveJobs()).length === 0);
    await bench.stopWorkers();
  }

  test('while one with the key is unfinished there is no other', async () => {
    const first = await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished });
    created(first);
    existing(await bench.queue.enqueue(index, { product: 2 }, { unique: unfinished }), first.id);
    created(await bench.queue.enqueue(index, { product: 2 }, { unique: { key: 'other' } }));
    created(await bench.queue.enqueue(held, undefined, { unique: unfinished }));
    created(await bench.queue.enqueue(index, { product: 2 }));
    expect(await bench.liveJobs()).toHaveLength(4);
    await runAll();
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
    created(await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished }));
  });

  test('an unfinished job has its key while it runs, and until its last attempt has failed', async () => {
    const { id, runs } = await running(unfinished);
    existing(await bench.queue.enqueue(held, undefined, { unique: unfinished }), id);
    runs[0]!.fail(new Error('once'));
    await bench.untilJobIs(id, 'scheduled');
    existing(await bench.queue.enqueue(held, undefined, { unique: unfinished }), id);
    await bench.stopWorkers();
    await bench.queue.cancel(id);
    created(await bench.queue.enqueue(held, undefined, { unique: unfinished }));
  });

  test('a queued job has its key until it is first claimed, and not again', async () => {
    const { id, runs } = await running(queued);
    const second = await bench.queue.enqueue(held, undefined, { unique: { ...queued } });
    created(second);
    await waitFor('the second runs too', () => runs.length === 2);
    const third = await bench.queue.enqueue(held, undefined, { unique: queued, delay: '1h' });
    created(third);
    runs[0]!.fail(new Error('once'));
    await bench.untilJobIs(id, 'scheduled');
    existing(await bench.queue.enqueue(held, undefined, { unique: queued }), third.id);
    runs[1]!.end();
    await bench.untilJobIs(second.id, 'succeeded');
    existing(await bench.queue.enqueue(held, undefined, { unique: queued }), third.id);
    expect(await bench.rows(TableQueueUnique)).toMatchObject([{ key: 'k', jobId: third.id, lasts: 'queued' }]);
  });

  test('a window goes on when the job has ended; then the key is free, and forgotten', async () => {
    const unique = { key: 'k', within: '10m' } as const;
    const { id } = await bench.queue.enqueue(index, { product: 1 }, { unique });
    await runAll();
    existing(await bench.queue.enqueue(index, { product: 1 }, { unique }), id);
    bench.clock.advance('9m');
    existing(await bench.queue.enqueue(index, { product: 1 }, { unique }), id);
    bench.clock.advance('2m');
    const next = await bench.queue.enqueue(index, { product: 1 }, { unique });
    created(next);
    existing(await bench.queue.enqueue(index, { product: 1 }, { unique }), next.id);
    const reaper = new Reaper(bench.queue.engine);
    await reaper.runOnce();
    expect(await bench.rows(TableQueueUnique)).toHaveLength(1);
    bench.clock.advance('11m');
    await reaper.runOnce();
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
  });

  test('with both, the key is free when the job has let go of it and its window is over', async () => {
    for (const span of ['queued', 'unfinished'] as const) {
      const unique = { key: span, while: span, within: '10m' } as const;
      const { id } = await bench.queue.enqueue(index, { product: 1 }, { unique });
      bench.clock.advance('11m');
      existing(await bench.queue.enqueue(index, { product: 1 }, { unique }), id);
      await runAll();
      const second = await bench.queue.enqueue(index, { product: 1 }, { unique });
      created(second);
      await runAll();
      existing(await bench.queue.enqueue(index, { product: 1 }, { unique }), second.id);
      bench.clock.advance('11m');
      created(await bench.queue.enqueue(index, { product: 1 }, { unique }));
      await runAll();
    }
  });

  test('throwing names the job, the key and the id, and stores nothing', async () => {
    const { id } = await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished });
    const refused = bench.queue.enqueue(index, { product: 2 }, { unique: { ...unfinished, onClash: 'throw' } });
    await expect(refused).rejects.toMatchObject({ name: 'DuplicateJobError', jobName: 'index', key: 'k', id });
    const bulk = ['a', 'k', 'b'].map((key) => ({
      payload: { product: 3 },
      unique: { key, onClash: 'throw' as const },
    }));
    await expect(bench.queue.enqueueMany(index, bulk)).rejects.toThrow(DuplicateJobError);
    // The caller may catch it and commit what it has done otherwise.
    await bench.dataSource.transaction(async (manager) => {
      await expect(bench.queue.enqueueMany(index, bulk, { manager })).rejects.toThrow(DuplicateJobError);
    });
    expect(await bench.liveJobs()).toHaveLength(1);
    expect(await bench.rows(TableQueueUnique)).toHaveLength(1);
  });

  test('replacing gives the waiting job the new payload and options', async () => {
    const rules = { ...unfinished, while: 'unfinished', onClash: 'replace' } as const;
    const options = { unique: rules, delay: '1h', key: 'old' } as const;
    const { id, created: isNew } = await bench.queue.enqueue(index, { product: 1 }, options);
    expect(isNew).toBe(true);
    const again = { unique: rules, priority: -5, key: 'new' };
    expect(await bench.queue.enqueue(index, { product: 2 }, again)).toEqual({ id, created: false, replaced: true });
    expect(await bench.queue.find(id)).toMatchObject({
      state: 'ready',
      payload: { product: 2 },
      priority: -5,
      key: 'new',
    });
    expect(await bench.queue.findByKey('old')).toEqual([]);
    expect(await bench.queue.findByKey('new')).toMatchObject([{ id }]);
    const runAt = new Date('2200-01-01T00:00:00.000Z');
    await bench.queue.enqueue(index, { product: 3 }, { unique: rules, runAt });
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
    const unique = { key: 'k', while: 'unfinished', onClash: 'replace' } as const;
    const { id } = await bench.queue.enqueue(flaky, 1, { unique });
    await waitFor('it runs', () => seen.length === 1);
    existing(await bench.queue.enqueue(flaky, 2, { unique }), id);
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
    existing(await bench.queue.enqueue(byFunction, { product: 1 }), first.id);
    created(await bench.queue.enqueue(byFunction, { product: 2 }));
    created(await bench.queue.enqueue(byFunction, { product: 1 }, { unique: { key: 'of its own' } }));

    const byPayload = defineJob<Index>('by-payload', { unique: { while: 'queued' } });
    const second = await bench.queue.enqueue(byPayload, { product: 1, full: true });
    existing(await bench.queue.enqueue(byPayload, { full: true, product: 1 }), second.id);
    created(await bench.queue.enqueue(byPayload, { product: 1 }));
    const bare = defineJob('bare', { unique: {} });
    const third = await bench.queue.enqueue(bare);
    existing(await bench.queue.enqueue(bare), third.id);
  });

  test('of many, each is reported; among themselves the first comes first', async () => {
    const { id } = await bench.queue.enqueue(index, { product: 0 }, { unique: { key: 'z' } });
    const replace = { while: 'unfinished', onClash: 'replace' } as const;
    const jobs = await bench.queue.enqueueMany(index, [
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
    expect((await bench.queue.enqueueMany(index, jobs)).every((job) => job.created)).toBe(true);
    const again = await bench.queue.enqueueMany(index, [
      ...jobs.toReversed(),
      { payload: { product: -1 }, unique: { key: 'one more' } },
    ]);
    expect(again.filter((job) => job.created)).toHaveLength(1);
    await runAll();
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
    expect(await bench.history()).toHaveLength(1001);
  });

  test('in a transaction the key is taken when that commits, and free when it rolls back', async () => {
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      created(await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished, manager }));
      throw new Rollback();
    });
    await expect(rolledBack).rejects.toThrow(Rollback);
    const { id } = await bench.dataSource.transaction(async (manager) => {
      const first = await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished, manager });
      created(first);
      existing(await bench.queue.enqueue(index, { product: 2 }, { unique: unfinished, manager }), first.id);
      expect(await bench.queue.cancel(first.id, { manager })).toBe('cancelled');
      return bench.queue.enqueue(index, { product: 3 }, { unique: unfinished, manager });
    });
    expect((await bench.liveJobs()).map((job) => job.id)).toEqual([id]);
  });

  test('without a transaction a query runner is refused', async () => {
    const queryRunner = bench.dataSource.createQueryRunner();
    const refused = bench.queue.enqueue(index, { product: 1 }, { unique: unfinished, queryRunner });
    await expect(refused).rejects.toThrow(InvalidOptionError);
    await queryRunner.release();
  });

  test.each([
    [{ unique: { while: 'running' } }, InvalidOptionError],
    [{ unique: { key: '' } }, InvalidNameError],
    [{ unique: { key: () => 'k' } }, InvalidOptionError],
    [{ unique: { onClash: 'ignore' } }, InvalidOptionError],
    [{ unique: { onClash: 'replace' } }, InvalidOptionError],
    [{ unique: { within: 0 } }, InvalidOptionError],
    [{ unique: { for: '1m' } }, UnknownOptionError],
    [{ unique: true }, InvalidOptionError],
  ])('refuses %p', async (options, error) => {
    await expect(bench.queue.enqueue(index, { product: 1 }, options as never)).rejects.toThrow(error);
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('a job of a dead worker is as unique as before', async () => {
    const { id, runs, worker } = await running(unfinished);
    await worker.stopClaiming();
    bench.clock.advance('1h');
    expect(await new Reaper(bench.queue.engine).runOnce()).toMatchObject({ freed: 1 });
    existing(await bench.queue.enqueue(held, undefined, { unique: unfinished }), id);
    runs[0]!.end('too late');
    await waitFor('its worker has noticed', () => worker.activeJobs === 0);
    existing(await bench.queue.enqueue(held, undefined, { unique: unfinished }), id);
  });

  test('a key whose row somebody has deleted holds up nothing', async () => {
    const { id } = await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished });
    await bench.dataSource.getRepository(TableQueueUnique).delete({ jobId: id });
    await runAll();
    expect(await bench.queue.find(id)).toMatchObject({ state: 'succeeded' });
  });

  test('jobs without a unique key never touch its table', async () => {
    const flaky = defineJob('flaky', { retry: { backoff: fixed(0) } });
    await bench.work([
      jobHandler(index, ({ product }) => product || undefined),
      jobHandler(flaky, (_payload, { attempt }) => {
        if (attempt === 1) {
          throw new Error('once');
        }
      }),
    ]);
    await bench.dataSource.query('ALTER TABLE tq_unique RENAME TO away');
    try {
      const { id } = await bench.queue.enqueue(index, { product: 1 }, { delay: '1h' });
      expect(await bench.queue.cancel(id)).toBe('cancelled');
      await bench.queue.enqueueMany(index, [{ payload: { product: 0 } }, { payload: { product: 1 } }]);
      await bench.queue.enqueue(flaky);
      await waitFor('all have ended', async () => (await bench.liveJobs()).length === 0);
      const states = (await bench.history()).map(({ state }) => state);
      expect(states.sort()).toEqual(['cancelled', 'succeeded', 'succeeded', 'succeeded']);
    } finally {
      await bench.dataSource.query('ALTER TABLE away RENAME TO tq_unique');
    }
    expect(bench.logger.lines).toEqual([]);
  });

  if (engine !== 'sqlite') {
    test('whoever wants a key that an open transaction has taken waits for its end', async () => {
      let second: Promise<EnqueuedJob> | undefined;
      let isSettled = false;
      const { id } = await bench.dataSource.transaction(async (manager) => {
        const first = await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished, manager });
        second = bench.queue.enqueue(index, { product: 2 }, { unique: unfinished }).finally(() => (isSettled = true));
        await bench.queue.enqueue(index, { product: 3 });
        expect(isSettled).toBe(false);
        return first;
      });
      existing(await second!, id);
    });

    test('a job that was found to have a key is not begun before the transaction ends; others behind it are', async () => {
      const ran: number[] = [];
      const { id } = await bench.queue.enqueue(index, { product: 1 }, { unique: queued });
      await bench.queue.enqueue(index, { product: 2 });
      await bench.dataSource.transaction(async (manager) => {
        existing(await bench.queue.enqueue(index, { product: 1 }, { unique: queued, manager }), id);
        await bench.work([jobHandler(index, ({ product }) => void ran.push(product))], { concurrency: 1 });
        const last = await bench.queue.enqueue(index, { product: 3 });
        await bench.untilJobIs(last.id, 'succeeded');
        expect(ran).toEqual([2, 3]);
      });
      await bench.untilJobIs(id, 'succeeded');
    });

    test('a job that was found to have a key does not end before the transaction does; others do', async () => {
      const { id, runs, worker } = await running(unfinished);
      await bench.dataSource.transaction(async (manager) => {
        existing(await bench.queue.enqueue(held, undefined, { unique: unfinished, manager }), id);
        runs[0]!.end('late');
        const { id: other } = await bench.queue.enqueue(held);
        await waitFor('the other runs', () => runs.length === 2);
        runs[1]!.end();
        await bench.untilJobIs(other, 'succeeded');
        expect(await bench.queue.find(id)).toMatchObject({ state: 'running' });
      });
      expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: 'late', attempt: 1 });
      await worker.stop();
      expect(bench.logger.lines).toEqual([]);
    });

    test.each([
      ['a plain', jobHandler],
      ['a transactional', transactionalHandler],
    ] as const)('nor is it dropped before, after %s handler, where nothing is kept', async (_kind, handle) => {
      const forgotten = defineJob('forgotten', { keep: 'none' });
      const ends: (() => void)[] = [];
      const told: string[] = [];
      const worker = await bench.work([handle(forgotten, () => new Promise<void>((resolve) => ends.push(resolve)))]);
      worker.events.on('succeeded', ({ id }) => told.push(id));
      const { id } = await bench.queue.enqueue(forgotten, undefined, { unique: unfinished });
      await waitFor('it runs', () => ends.length === 1);
      await bench.dataSource.transaction(async (manager) => {
        existing(await bench.queue.enqueue(forgotten, undefined, { unique: unfinished, manager }), id);
        ends[0]!();
        const { id: other } = await bench.queue.enqueue(forgotten);
        await waitFor('the other runs', () => ends.length === 2);
        ends[1]!();
        await waitFor('the other has ended', () => told.includes(other));
        expect(await bench.queue.find(id)).toMatchObject({ state: 'running' });
      });
      await waitFor('it has ended', () => told.includes(id));
      expect(await bench.liveJobs()).toEqual([]);
      expect(await bench.rows(TableQueueUnique)).toEqual([]);
      expect(bench.logger.lines).toEqual([]);
    });

    test('cancelling a job whose key is locked is a request', async () => {
      const { id } = await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished });
      await bench.dataSource.transaction(async (manager) => {
        existing(await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished, manager }), id);
        expect(await bench.queue.cancel(id)).toBe('requested');
      });
      await new Reaper(bench.queue.engine).runOnce();
      expect(await bench.queue.find(id)).toMatchObject({ state: 'cancelled' });
      expect(await bench.rows(TableQueueUnique)).toEqual([]);
    });

    test('wanting a key that is taken locks none beside it', async () => {
      for (const key of ['b', 'd', 'f']) {
        await bench.queue.enqueue(index, { product: 1 }, { unique: { key } });
      }
      await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await bench.queue.enqueue(index, { product: 1 }, { unique: { key: 'd' }, manager });
        const other = bench.dataSource.createQueryRunner();
        await other.query('SET SESSION innodb_lock_wait_timeout = 1');
        await other.startTransaction();
        for (const key of ['a', 'c', 'e', 'g']) {
          created(await bench.queue.enqueue(index, { product: 1 }, { unique: { key }, queryRunner: other }));
        }
        await other.rollbackTransaction();
        await other.query('SET SESSION innodb_lock_wait_timeout = DEFAULT');
        await other.release();
      });
    });

    test('a caller that goes on after a wait in vain has taken no key', async () => {
      const other = bench.dataSource.createQueryRunner();
      await other.query('SET SESSION innodb_lock_wait_timeout = 1');
      await bench.dataSource.transaction(async (manager) => {
        await bench.queue.enqueue(index, { product: 1 }, { unique: { key: 'z' }, manager });
        await other.startTransaction();
        const jobs = Array.from({ length: 500 }, (_, product) => ({
          payload: { product },
          unique: { key: product === 499 ? 'z' : `${product}` },
        }));
        await expect(bench.queue.enqueueMany(index, jobs, { queryRunner: other })).rejects.toThrow('Lock wait timeout');
        await other.commitTransaction();
      });
      await other.query('SET SESSION innodb_lock_wait_timeout = DEFAULT');
      await other.release();
      expect(await bench.rows(TableQueueUnique)).toMatchObject([{ key: 'z' }]);
    });

    test('a transaction with an old view of the data still learns who has the key now', async () => {
      const first = await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished });
      await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await manager.query('SELECT COUNT(*) FROM tq_job');
        await runAll();
        expect(await bench.queue.find(first.id, { manager })).toMatchObject({ state: 'ready' });
        created(await bench.queue.enqueue(index, { product: 2 }, { unique: unfinished, manager }));
      });
      expect(await bench.liveJobs()).toHaveLength(1);
    });
  }

  test('asking for a key that is taken, outside a transaction, locks and writes nothing', async () => {
    const { id } = await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished });
    await bench.queue.enqueue(index, { product: 1 }, { unique: { key: 'other', within: '1h' } });
    const statements: string[] = [];
    const original = bench.queue.engine.execute.bind(bench.queue.engine);
    bench.queue.engine.execute = (factory, options) => {
      statements.push(options.readOnly ? 'read' : 'write');
      return original(factory, options);
    };
    existing(await bench.queue.enqueue(index, { product: 1 }, { unique: unfinished }), id);
    bench.queue.engine.execute = original;
    expect(statements).toEqual(['read']);
  });
});

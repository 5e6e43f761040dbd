import { expect, test } from '@jest/globals';
import { type EnqueuedJob, defineJob, jobHandler, transactionalHandler } from '@tablequeue/typeorm';
import { Reaper, TableQueueUnique } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import {
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

describeEach(
  'unique keys that an open transaction has locked',
  (engine) => {
    const bench = useWorkbench(engine);

    test('an enqueue for a key that an open transaction has acquired waits for its end', async () => {
      let second: Promise<EnqueuedJob> | undefined;
      let isSettled = false;
      const { id } = await bench.dataSource.transaction(async (manager) => {
        const first = await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished, manager });
        second = bench.queue
          .enqueue(indexJob, { product: 2 }, { unique: unfinished })
          .finally(() => (isSettled = true));
        await bench.queue.enqueue(indexJob, { product: 3 });
        expect(isSettled).toBe(false);
        return first;
      });
      expectExisting(await second!, id);
    });

    test('a job whose key a transaction has found does not start before it ends; later jobs do', async () => {
      const ran: number[] = [];
      const { id } = await bench.queue.enqueue(indexJob, { product: 1 }, { unique: queued });
      await bench.queue.enqueue(indexJob, { product: 2 });
      await bench.dataSource.transaction(async (manager) => {
        expectExisting(await bench.queue.enqueue(indexJob, { product: 1 }, { unique: queued, manager }), id);
        await bench.work([jobHandler(indexJob, ({ product }) => void ran.push(product))], { concurrency: 1 });
        const last = await bench.queue.enqueue(indexJob, { product: 3 });
        await bench.untilJobIs(last.id, 'succeeded');
        expect(ran).toEqual([2, 3]);
      });
      await bench.untilJobIs(id, 'succeeded');
    });

    test('a job that was found to have a key does not end before the transaction does; others do', async () => {
      const { id, runs, worker } = await runHeld(bench, unfinished);
      await bench.dataSource.transaction(async (manager) => {
        expectExisting(await bench.queue.enqueue(heldJob, undefined, { unique: unfinished, manager }), id);
        runs[0]!.end('late');
        const { id: other } = await bench.queue.enqueue(heldJob);
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
    ] as const)('and it is not deleted before that, after %s handler, with keep: none', async (_kind, handle) => {
      const forgotten = defineJob('forgotten', { keep: 'none' });
      const ends: (() => void)[] = [];
      const received: string[] = [];
      const worker = await bench.work([handle(forgotten, () => new Promise<void>((resolve) => ends.push(resolve)))]);
      worker.events.on('succeeded', ({ id }) => received.push(id));
      const { id } = await bench.queue.enqueue(forgotten, undefined, { unique: unfinished });
      await waitFor('it runs', () => ends.length === 1);
      await bench.dataSource.transaction(async (manager) => {
        expectExisting(await bench.queue.enqueue(forgotten, undefined, { unique: unfinished, manager }), id);
        ends[0]!();
        const { id: other } = await bench.queue.enqueue(forgotten);
        await waitFor('the other runs', () => ends.length === 2);
        ends[1]!();
        await waitFor('the other has ended', () => received.includes(other));
        expect(await bench.queue.find(id)).toMatchObject({ state: 'running' });
      });
      await waitFor('it has ended', () => received.includes(id));
      expect(await bench.liveJobs()).toEqual([]);
      expect(await bench.rows(TableQueueUnique)).toEqual([]);
      expect(bench.logger.lines).toEqual([]);
    });

    test('cancelling a job whose key is locked is a request', async () => {
      const { id } = await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished });
      await bench.dataSource.transaction(async (manager) => {
        expectExisting(await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished, manager }), id);
        expect(await bench.queue.cancel(id)).toBe('requested');
      });
      await new Reaper(bench.queue.engine).runOnce();
      expect(await bench.queue.find(id)).toMatchObject({ state: 'cancelled' });
      expect(await bench.rows(TableQueueUnique)).toEqual([]);
    });

    test('an enqueue for a held key locks no adjacent key', async () => {
      for (const key of ['b', 'd', 'f']) {
        await bench.queue.enqueue(indexJob, { product: 1 }, { unique: { key } });
      }
      await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await bench.queue.enqueue(indexJob, { product: 1 }, { unique: { key: 'd' }, manager });
        const other = bench.dataSource.createQueryRunner();
        await other.query('SET SESSION innodb_lock_wait_timeout = 1');
        await other.startTransaction();
        for (const key of ['a', 'c', 'e', 'g']) {
          expectCreated(await bench.queue.enqueue(indexJob, { product: 1 }, { unique: { key }, queryRunner: other }));
        }
        await other.rollbackTransaction();
        await other.query('SET SESSION innodb_lock_wait_timeout = DEFAULT');
        await other.release();
      });
    });

    test('a caller that continues after a lock wait timeout holds no key', async () => {
      const other = bench.dataSource.createQueryRunner();
      await other.query('SET SESSION innodb_lock_wait_timeout = 1');
      await bench.dataSource.transaction(async (manager) => {
        await bench.queue.enqueue(indexJob, { product: 1 }, { unique: { key: 'z' }, manager });
        await other.startTransaction();
        const jobs = Array.from({ length: 500 }, (_, product) => ({
          payload: { product },
          unique: { key: product === 499 ? 'z' : `${product}` },
        }));
        await expect(bench.queue.enqueueMany(indexJob, jobs, { queryRunner: other })).rejects.toThrow(
          'Lock wait timeout',
        );
        await other.commitTransaction();
      });
      await other.query('SET SESSION innodb_lock_wait_timeout = DEFAULT');
      await other.release();
      expect(await bench.rows(TableQueueUnique)).toMatchObject([{ key: 'z' }]);
    });

    test('a transaction with an old snapshot still gets the current holder of the key', async () => {
      const first = await bench.queue.enqueue(indexJob, { product: 1 }, { unique: unfinished });
      await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await manager.query('SELECT COUNT(*) FROM tq_job');
        await runAll(bench);
        expect(await bench.queue.find(first.id, { manager })).toMatchObject({ state: 'ready' });
        expectCreated(await bench.queue.enqueue(indexJob, { product: 2 }, { unique: unfinished, manager }));
      });
      expect(await bench.liveJobs()).toHaveLength(1);
    });
  },
  ['mariadb', 'mysql'],
);

import { expect, test } from '@jest/globals';
import { UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueFailure, TableQueueHistory } from '@tablequeue/typeorm/internal';
import type { EntityManager } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { DAY, failJob, historyDays } from '../support/history-days.js';
import { waitFor } from '../support/wait-for.js';

const add = defineJob('add');

describeEach(
  'the history in days beside open transactions and other pruners',
  (engine) => {
    const { bench, pruner, prune, now, partitions, jobsByDay, traces, failedJob, eightDaysLater } = historyDays(engine);

    /** Work beside an open transaction at REPEATABLE READ; what is not given its manager is not part of it. */
    const besideTransaction = (work: (manager: EntityManager) => Promise<void>) =>
      bench.dataSource.transaction('REPEATABLE READ', work);

    test('workers continue while a transaction that has read the history delays the drop of a day', async () => {
      await finishedJobs(bench, add, 40, 'succeeded', false);
      await eightDaysLater();
      const fresh = await finishedJobs(bench, add, 1, 'succeeded', false);
      await bench.work([jobHandler(add, () => undefined)]);
      await besideTransaction(async (manager) => {
        expect(await manager.count(TableQueueHistory)).toBe(41);
        const over = new AbortController();
        const pruned = prune().finally(() => over.abort());
        while (!over.signal.aborted) {
          const { id } = await bench.queue.enqueue(add, undefined, { outsideTransaction: true });
          await bench.untilJobIs(id, 'succeeded');
        }
        // Job by job would be slower, and is for days that wait for longer than one.
        expect(await pruned).toEqual({ deleted: 0 });
        expect((await jobsByDay())[0]).toBe(40);
        const { id } = await bench.queue.enqueue(add, undefined, { outsideTransaction: true });
        await bench.untilJobIs(id, 'succeeded');
        bench.clock.advance('1d');
        expect(await prune()).toEqual({ deleted: 40 });
      });
      expect(bench.logger.lines).toEqual([]);
      const [oldest] = await partitions();
      expect(await prune()).toEqual({ deleted: 0 });
      expect((await partitions())[0]?.end).toBeGreaterThan(oldest?.end ?? Infinity);
      expect(await bench.queue.find(fresh[0] ?? '')).toBeDefined();
    });

    test('a job that is retried while its day is dropped lives on, or goes with all its rows', async () => {
      const failed = await failedJob('failed');
      const { id: cancelled } = await bench.queue.enqueue(add, undefined, { delay: '1h', key: 'cancelled' });
      await bench.queue.cancel(cancelled);
      await finishedJobs(bench, add, 20, 'succeeded', false);
      await eightDaysLater();
      const one = pruner();
      const rolledBack = besideTransaction(async (manager) => {
        expect(await bench.queue.failed.retry(failed, { manager })).toBe(true);
        expect(await bench.queue.failed.retry(cancelled, { manager })).toBe(true);
        expect(await one.runOnce()).toEqual({ deleted: 0 });
        throw new Error('rolled back');
      });
      await expect(rolledBack).rejects.toThrow('rolled back');
      expect(await bench.queue.findByKey('failed')).toMatchObject([{ id: failed, state: 'failed' }]);
      await bench.queue.failed.retry(failed);
      expect(await one.runOnce()).toEqual({ deleted: 21 });
      expect(await bench.queue.findByKey('failed')).toMatchObject([{ id: failed, state: 'ready' }]);
      expect(await bench.history()).toEqual([]);
      expect(await traces()).toEqual([1, 1, 0]);
    });

    test('a job is put back by a long transaction without keeping others from ending', async () => {
      const id = await failedJob('first');
      // In a day in which nothing has finished yet, any look with a lock would lock the place of whatever does.
      bench.clock.advance('1d');
      await besideTransaction(async (manager) => {
        expect(await bench.queue.failed.retry(id, { manager })).toBe(true);
        await bench.work([jobHandler(add, () => undefined)]);
        for (const { id: other } of await bench.queue.enqueueMany(add, [{}, {}, {}], { outsideTransaction: true })) {
          await bench.untilJobIs(other, 'succeeded');
        }
      });
      expect((await bench.queue.find(id))?.state).toBe('ready');
    });

    test('a long transaction does not put a job back that has been put back and has failed again since it began', async () => {
      const id = await failedJob('twice');
      await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
        expect(await manager.count(TableQueueFailure)).toBe(1);
        await bench.queue.failed.retry(id, { outsideTransaction: true });
        await bench.work([
          jobHandler(failJob, () => {
            throw new UnrecoverableJobError('again');
          }),
        ]);
        await waitFor('it has failed again', async () => (await bench.queue.find(id))?.attempt === 2);
        await bench.untilJobIs(id, 'failed');
        await bench.stopWorkers();
        // It would have to look into all days with locks.
        expect(await bench.queue.failed.retry(id, { manager })).toBe(false);
      });
      expect(await bench.queue.find(id)).toMatchObject({ state: 'failed', attempt: 2 });
      expect(await bench.queue.failed.retry(id)).toBe(true);
    });

    test('a long transaction that retries a missing job does not block completions on another day', async () => {
      const id = await failedJob('gone');
      await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
        expect(await manager.count(TableQueueFailure)).toBe(1);
        await bench.queue.failed.retry(id, { outsideTransaction: true });
        bench.clock.advance('1d');
        expect(await bench.queue.failed.retry(id, { manager })).toBe(false);
        await bench.work([jobHandler(add, () => undefined)]);
        for (const { id: other } of await bench.queue.enqueueMany(add, [{}, {}, {}], { outsideTransaction: true })) {
          await bench.untilJobIs(other, 'succeeded');
        }
      });
    });

    test('a job that an open transaction adds to an expired day is deleted with its key and errors', async () => {
      await finishedJobs(bench, add, 1, 'succeeded', false);
      const one = pruner();
      await besideTransaction(async (manager) => {
        const { id } = await bench.queue.enqueue(add, undefined, { delay: '1h', key: 'late', manager });
        await bench.queue.cancel(id, { manager });
        bench.clock.advance('8d');
        expect(await one.runOnce()).toEqual({ deleted: 0 });
      });
      expect(await traces()).toEqual([1, 0, 0]);
      expect(await one.runOnce()).toEqual({ deleted: 2 });
      expect(await traces()).toEqual([0, 0, 0]);
    });

    test('an empty day is dropped one day later, because an open transaction may still add a job to it', async () => {
      // It has been over for twelve hours, see `historyDays`.
      const [first] = await partitions();
      bench.clock.advance('10h');
      await prune();
      expect((await partitions())[0]).toEqual(first);
      bench.clock.advance('3h');
      await prune();
      expect((await partitions())[0]?.end).toBeGreaterThan(first?.end ?? Infinity);
    });

    test('several pruners at once drop a day once', async () => {
      for (let day = 0; day < 3; day++) {
        await finishedJobs(bench, add, 100, 'succeeded', false);
        bench.clock.advance('1d');
      }
      bench.clock.advance('12d');
      const before = await partitions();
      await Promise.all([prune(), prune(), prune()]);
      await prune();
      expect(await bench.history()).toEqual([]);
      const after = await partitions();
      expect(after[0]?.end).toBeGreaterThan(before[2]?.end ?? 0);
      expect(after.at(-2)?.end).toBeGreaterThan(now() + 6 * DAY);
    });
  },
  ['mariadb', 'mysql'],
);

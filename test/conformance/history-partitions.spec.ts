import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  PartitionsUnsupportedError,
  Pruner,
  type RetentionOptions,
  TableQueueErrorRow,
  TableQueueFailure,
  TableQueueHistory,
  TableQueueKey,
  UnpartitionedHistoryError,
  UnrecoverableJobError,
  defineJob,
  jobHandler,
  partitionHistory,
  tableQueueEntities,
  upTableQueue,
} from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import { createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

const add = defineJob('add');
const drop = defineJob('drop');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const week = { age: '7d' } as const;
const ALL_A_WEEK: RetentionOptions = { succeeded: week, failed: week, cancelled: week };

describeEach(
  'the history without partitions',
  (engine) => {
    test('says that SQLite has none, and makes nothing', async () => {
      const byDay = { partitionHistory: 'day' } as const;
      expect(() => tableQueueEntities('better-sqlite3', byDay)).toThrow(PartitionsUnsupportedError);
      const database = await createEmptyDatabase(engine);
      const dataSource = await database.connect();
      const queryRunner = dataSource.createQueryRunner();
      await expect(upTableQueue(queryRunner, byDay)).rejects.toThrow(PartitionsUnsupportedError);
      await expect(partitionHistory(queryRunner)).rejects.toThrow(PartitionsUnsupportedError);
      expect(await dataSource.query("SELECT name FROM sqlite_master WHERE type = 'table'")).toEqual([]);
      await queryRunner.release();
      await database.drop();
    });
  },
  ['sqlite'],
);

describeEach(
  'the history in days',
  (engine) => {
    let bench: Workbench;
    beforeEach(async () => {
      // A clock that was put forward does not go back, so each test has tables of its own.
      bench = await Workbench.open(engine);
      await partition();
      // Noon, so that no test runs from one day into the next.
      bench.clock.advance(DAY - (Date.now() % DAY) + 12 * HOUR);
    });
    afterEach(() => bench.close());

    async function partition(): Promise<void> {
      const queryRunner = bench.dataSource.createQueryRunner();
      await partitionHistory(queryRunner);
      await queryRunner.release();
    }

    const pruner = (retention: RetentionOptions = ALL_A_WEEK) => new Pruner(bench.queue.engine, retention);
    const prune = (retention?: RetentionOptions) => pruner(retention).runOnce();
    const now = () => Date.now() + bench.clock.shift;
    /** Not part of a transaction that is open around. */
    const byItself = () => ({ manager: bench.dataSource.manager });

    /** How many jobs each partition has, the oldest first; the last one is behind all days. */
    async function partitions(): Promise<{ name: string; end: number; jobs: number }[]> {
      const rows = (await bench.dataSource.query(
        `SELECT PARTITION_NAME AS name, PARTITION_DESCRIPTION AS bound FROM information_schema.PARTITIONS
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'tq_history' ORDER BY PARTITION_ORDINAL_POSITION`,
      )) as { name: string; bound: string }[];
      return Promise.all(
        rows.map(async ({ name, bound }) => {
          const [row] = (await bench.dataSource.query(
            `SELECT COUNT(*) AS jobs FROM tq_history PARTITION (${name})`,
          )) as { jobs: string }[];
          return { name, end: bound === 'MAXVALUE' ? Infinity : Number(bound), jobs: Number(row?.jobs) };
        }),
      );
    }

    /** How many jobs finished on each day, the days without any left out. */
    const jobsByDay = async () => (await partitions()).map(({ jobs }) => jobs).filter((jobs) => jobs > 0);
    const inRest = async () => (await partitions()).at(-1)?.jobs;

    /** What jobs have left outside of the history. */
    async function traces(): Promise<number[]> {
      const tables = [TableQueueKey, TableQueueErrorRow, TableQueueFailure];
      return Promise.all(tables.map((table) => bench.dataSource.getRepository<object>(table).count()));
    }

    /** A job that has failed, with a key, an error and what is noted of it. */
    async function failedJob(key: string): Promise<string> {
      const fail = jobHandler(drop, () => {
        throw new UnrecoverableJobError('dropped');
      });
      await bench.work([fail]);
      const { id } = await bench.queue.enqueue(drop, undefined, { key });
      await bench.untilJobIs(id, 'failed');
      await bench.stopWorkers();
      return id;
    }

    /** Work beside an open transaction at REPEATABLE READ; what is not given its manager is not part of it. */
    const besideTransaction = (work: (manager: EntityManager) => Promise<void>) =>
      bench.dataSource.transaction('REPEATABLE READ', work);

    /** So that the oldest day is to go, and the days to come are there already. */
    async function eightDaysLater(): Promise<void> {
      bench.clock.advance('6d');
      await prune();
      bench.clock.advance('2d');
    }

    test('drops days whose jobs are all too old, with what these have left elsewhere', async () => {
      await finishedJobs(bench, add, 300, 'succeeded', false);
      await finishedJobs(bench, add, 5, 'cancelled');
      await failedJob('old');
      await bench.dataSource.query(
        `INSERT INTO tq_error (job_id, attempt, failed_at, error)
         SELECT id, 1, 0, 'first try' FROM tq_history WHERE state = 'cancelled'`,
      );
      bench.clock.advance('1d');
      await finishedJobs(bench, add, 200, 'succeeded', false);
      await failedJob('young');
      const before = (await partitions()).map(({ name }) => name);
      expect(await jobsByDay()).toEqual([306, 201]);
      expect(await traces()).toEqual([7, 7, 2]);

      bench.clock.advance('6d');
      expect(await prune()).toEqual({ deleted: 1 });
      // All of them are older than seven days, but for six hours the day is not.
      bench.clock.advance('6h');
      expect(await prune()).toEqual({ deleted: 0 });
      expect(await jobsByDay()).toEqual([305, 201]);
      bench.clock.advance('7h');
      expect(await prune()).toEqual({ deleted: 305 });
      const after = await partitions();
      expect(after.map(({ name }) => name)).not.toContain(before[1]);
      expect(after.map(({ name }) => name)).toContain(before[2]);
      expect(await jobsByDay()).toEqual([201]);
      expect(await traces()).toEqual([1, 1, 1]);
      expect((await bench.rows(TableQueueKey)).map(({ key }) => key)).toEqual(['young']);
      expect(await prune()).toEqual({ deleted: 0 });
    });

    test('an outcome with a shorter age, and one of which a number is kept, is deleted job by job from the other days', async () => {
      await finishedJobs(bench, add, 500, 'succeeded', false);
      await finishedJobs(bench, add, 50, 'cancelled', false);
      bench.clock.advance('2d');
      await finishedJobs(bench, add, 10, 'succeeded', false);
      const rules: RetentionOptions = { succeeded: { age: '1d' }, failed: week, cancelled: week };
      expect(await prune(rules)).toEqual({ deleted: 500 });
      expect(await jobsByDay()).toEqual([50, 10]);
      expect(await prune({ ...rules, cancelled: { age: '7d', count: 30 } })).toEqual({ deleted: 20 });
      expect(await jobsByDay()).toEqual([30, 10]);
      expect(await bench.queue.prune('1d')).toBe(30);
    });

    test('days that have become empty are dropped where some jobs are kept for ever', async () => {
      await finishedJobs(bench, add, 20, 'succeeded', false);
      bench.clock.advance('1d');
      await finishedJobs(bench, add, 20, 'succeeded', false);
      const rules = { succeeded: { count: 20 }, failed: false } as const;
      const [first, , third] = await partitions();
      expect(await prune(rules)).toEqual({ deleted: 20 });
      expect(await prune(rules)).toEqual({ deleted: 0 });
      const left = (await partitions()).map(({ name }) => name);
      expect(left).not.toContain(first?.name);
      expect(left).toContain(third?.name);
      expect(await jobsByDay()).toEqual([20]);
    });

    test('the days to come are made while the partition behind them is empty', async () => {
      const lastDay = async () => (await partitions()).at(-2)?.end ?? 0;
      for (let days = 0; days < 30; days += 5) {
        expect(await prune()).toEqual({ deleted: 0 });
        expect(await lastDay()).toBeGreaterThan(now() + 6 * DAY);
        await finishedJobs(bench, add, 1, 'succeeded', false);
        expect(await inRest()).toBe(0);
        bench.clock.advance('5d');
        await bench.dataSource.query('DELETE FROM tq_history');
      }
    });

    test('jobs that finished when no day had been made for them are moved to their days', async () => {
      bench.clock.advance('20d');
      await finishedJobs(bench, add, 30, 'succeeded', false);
      bench.clock.advance('1d');
      await finishedJobs(bench, add, 20, 'succeeded', false);
      expect(await inRest()).toBe(50);
      expect(await prune()).toEqual({ deleted: 0 });
      expect(await inRest()).toBe(0);
      expect(await jobsByDay()).toEqual([30, 20]);
    });

    test('more of them than the pruner may move stay where they are until somebody calls partitionHistory', async () => {
      bench.clock.advance('20d');
      await finishedJobs(bench, add, 10_001, 'succeeded', false);
      bench.clock.advance('1d');
      await expect(prune()).rejects.toThrow(UnpartitionedHistoryError);
      await expect(prune()).rejects.toThrow(/More than 10000 .*`tq_history`.*partitionHistory/);
      expect(await inRest()).toBe(10_001);
      bench.clock.advance('8d');
      // In no day, they are deleted one by one when they are too old.
      expect(await prune()).toEqual({ deleted: 10_001 });
      expect(await jobsByDay()).toEqual([]);
    });

    test('workers go on while a transaction that has read the history keeps a day from being dropped', async () => {
      await finishedJobs(bench, add, 40, 'succeeded', false);
      await eightDaysLater();
      const fresh = await finishedJobs(bench, add, 1, 'succeeded', false);
      await bench.work([jobHandler(add, () => undefined)]);
      await besideTransaction(async (manager) => {
        expect(await manager.count(TableQueueHistory)).toBe(41);
        const over = new AbortController();
        const pruned = prune().finally(() => over.abort());
        while (!over.signal.aborted) {
          const { id } = await bench.queue.enqueue(add, undefined, byItself());
          await bench.untilJobIs(id, 'succeeded');
        }
        // Job by job would be slower, and is for days that wait for longer than one.
        expect(await pruned).toEqual({ deleted: 0 });
        expect((await jobsByDay())[0]).toBe(40);
        const { id } = await bench.queue.enqueue(add, undefined, byItself());
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

    test('a job that is put back while its day is to go lives on, or goes with all that it has left', async () => {
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
        for (const { id: other } of await bench.queue.enqueueMany(add, [{}, {}, {}], byItself())) {
          await bench.untilJobIs(other, 'succeeded');
        }
      });
      expect((await bench.queue.find(id))?.state).toBe('ready');
    });

    test('a long transaction puts a job back that has been put back and has failed again since it began', async () => {
      const id = await failedJob('twice');
      await besideTransaction(async (manager) => {
        expect(await manager.count(TableQueueFailure)).toBe(1);
        await bench.queue.failed.retry(id, byItself());
        await bench.work([
          jobHandler(drop, () => {
            throw new UnrecoverableJobError('again');
          }),
        ]);
        await waitFor('it has failed again', async () => (await bench.queue.find(id))?.attempt === 2);
        await bench.untilJobIs(id, 'failed');
        await bench.stopWorkers();
        expect(await bench.queue.failed.retry(id, { manager })).toBe(true);
      });
      expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', attempt: 2 });
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

    test('a history of older jobs is put into days, the oldest of them together', async () => {
      await bench.dataSource.query('ALTER TABLE tq_history REMOVE PARTITIONING');
      await finishedJobs(bench, add, 40, 'succeeded', false);
      await bench.dataSource.query(
        `UPDATE tq_history SET finished_at = finished_at - ${DAY} * (CASE WHEN id < (SELECT * FROM
           (SELECT id FROM tq_history ORDER BY id LIMIT 1 OFFSET 10) tenth) THEN 400 ELSE 3 END)`,
      );
      await partition();
      const all = await partitions();
      expect(all.length).toBeLessThan(120);
      expect(all[0]?.jobs).toBe(10);
      expect(await jobsByDay()).toEqual([10, 30]);
      await partition();
      expect(await partitions()).toEqual(all);
    });

    test('what is no partition is refused', async () => {
      const queryRunner = bench.dataSource.createQueryRunner();
      for (const partitionHistoryBy of ['hour', true, 1]) {
        const options = { partitionHistory: partitionHistoryBy as 'day' };
        await expect(upTableQueue(queryRunner, options)).rejects.toThrow(InvalidOptionError);
        expect(() => tableQueueEntities(engine as 'mysql', options)).toThrow("'day'");
      }
      await queryRunner.release();
    });
  },
  ['mariadb', 'mysql'],
);

import { expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  PartitionsUnsupportedError,
  type RetentionOptions,
  UnpartitionedHistoryError,
  defineJob,
  partitionHistory,
  tableQueueEntities,
  upTableQueue,
} from '@tablequeue/typeorm';
import { TableQueueKey } from '@tablequeue/typeorm/internal';

import { createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { DAY, historyDays, week } from '../support/history-days.js';

const add = defineJob('add');

describeEach(
  'the history without partitions',
  (engine) => {
    test('reports that SQLite has none, and changes nothing', async () => {
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
    const { bench, partition, prune, now, partitions, jobsByDay, inRest, traces, failedJob } = historyDays(engine);

    test('drops days whose jobs have all expired, with their keys and errors', async () => {
      await finishedJobs(bench, add, 300, 'succeeded', false);
      await finishedJobs(bench, add, 5, 'cancelled');
      await failedJob('old');
      await bench.dataSource.query(
        `INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error)
         SELECT id, 1, 0, 0, 'first try' FROM tq_history WHERE state = 'cancelled'`,
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

    test('an outcome with a shorter age or a count limit is deleted job by job from the other days', async () => {
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

    test('empty days are dropped where some jobs are kept indefinitely', async () => {
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

    test('future days are created while the last partition is empty', async () => {
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

    test('if there are more than the pruner may move, they are moved only by partitionHistory', async () => {
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

    test('an invalid partitioning is rejected', async () => {
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

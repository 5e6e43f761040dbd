import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { type BulkJob, TableQueue, defineJob } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import { SERVER_ENGINES } from '../servers/engines.js';
import { countPrepared } from '../support/count-prepared.js';
import { describeEach } from '../support/each-engine.js';
import {
  ALL_KINDS,
  KINDS_WITH_PRIORITIES,
  KINDS_WITH_TENANTS,
  PLAIN_KINDS,
  withoutMoment,
} from '../support/job-kinds.js';
import { databaseTime } from '../support/schedules.js';
import { useWorkbench } from '../support/use-workbench.js';

const send = defineJob<string>('send');
const sendAnew = defineJob<string>('send-anew', { version: 2, upcasters: { 1: (payload) => payload as string } });

describeEach(
  'prepared INSERTs',
  (engine) => {
    const bench = useWorkbench(engine);
    /** With one connection, so that each call finds what the one before has prepared. */
    let single: DataSource;
    beforeAll(async () => {
      single = await bench.database.connect({ extra: { connectionLimit: 1 } });
    });
    afterEach(async () => {
      // Another connection, without prepared statements.
      await single.destroy();
      await single.initialize();
    });

    const counted = (command: 'prepare' | 'execute' | 'close') => countPrepared(single, command);
    const jobs = (count: number): BulkJob<string>[] =>
      Array.from({ length: count }, (_, index) => ({ payload: `${index}` }));

    const times = (copies: number, kinds: readonly BulkJob<string>[]) =>
      Array.from({ length: copies }, () => kinds).flat();
    const group = (copies: number) => ({
      jobs: times(copies, ALL_KINDS).map((kind, index) => ({ definition: index % 2 ? send : sendAnew, ...kind })),
      onComplete: { definition: send, payload: 'done' },
    });

    test.each([
      ['jobs', (queue: TableQueue) => queue.enqueueMany(send, times(2, PLAIN_KINDS))],
      ['jobs with tenants', (queue: TableQueue) => queue.enqueueMany(send, times(2, KINDS_WITH_TENANTS))],
      ['jobs with priorities', (queue: TableQueue) => queue.enqueueMany(send, times(2, KINDS_WITH_PRIORITIES))],
      ['jobs of all kinds', (queue: TableQueue) => queue.enqueueMany(send, times(9, ALL_KINDS))],
      ['groups', (queue: TableQueue) => queue.groups.enqueue(group(1))],
      ['large groups', (queue: TableQueue) => queue.groups.enqueue(group(6))],
    ])('of %s store what INSERTs in text do', async (_title, enqueue) => {
      const stored = async (preparedStatements: boolean) => {
        const queue = new TableQueue(single, { preparedStatements });
        let present = 0;
        for (let call = 0; call < 4; call++) {
          await bench.reset();
          present = await databaseTime(bench);
          await enqueue(queue);
        }
        const rows = await bench.liveJobs();
        // The time of this call, not of the one that was prepared.
        expect(Math.min(...rows.map(({ createdAt }) => createdAt))).toBeGreaterThanOrEqual(Math.floor(present));
        return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map(withoutMoment);
      };
      const asText = await stored(false);
      expect(await counted('execute')).toBe(0);
      const prepared = await stored(true);
      expect(await counted('execute')).toBeGreaterThan(0);
      expect(asText.length).toBeGreaterThan(PLAIN_KINDS.length);
      expect(prepared).toEqual(asText);
    });

    test('serve enqueues that are made at the same time', async () => {
      const queue = new TableQueue(single);
      for (let call = 0; call < 4; call++) {
        await Promise.all(jobs(20).map(({ payload }) => queue.enqueue(send, payload)));
      }
      expect(await counted('prepare')).toBe(1);
      expect(await counted('execute')).toBe(2);
      expect(await bench.liveJobs()).toHaveLength(80);
    });

    test('are used for single jobs, but not for batches of ever different sizes', async () => {
      const queue = new TableQueue(single);
      for (let count = 2; count < 60; count++) {
        await queue.enqueue(send, 'alone');
        await queue.enqueueMany(send, jobs(count));
      }
      expect(await counted('prepare')).toBe(1);
      expect(await counted('execute')).toBe(56);
    });

    test('are not made where the pool forgets them', async () => {
      const forgetful = await bench.database.connect({ extra: { connectionLimit: 1, resetOnRelease: true } });
      try {
        const queue = new TableQueue(forgetful);
        const runner = forgetful.createQueryRunner();
        // What a session counts is forgotten, too.
        const execute = jest.spyOn((await runner.connect()) as { execute(): void }, 'execute');
        await runner.release();
        for (let call = 0; call < 4; call++) {
          await queue.enqueueMany(send, jobs(20));
        }
        expect(execute).not.toHaveBeenCalled();
      } finally {
        await forgetful.destroy();
      }
    });

    test('are cached eight at a time for all queues on a connection, the most recently used ones', async () => {
      const queues = [new TableQueue(single), new TableQueue(single)];
      const enqueue = async (count: number) => queues[count % 2]?.enqueueMany(send, jobs(count));
      for (let count = 5; count < 45; count++) {
        for (let call = 0; call < 3; call++) {
          await enqueue(count);
        }
        await enqueue(5);
      }
      // Forty sizes; one was in use throughout.
      expect(await counted('prepare')).toBe(40);
      expect(await counted('close')).toBe(32);
    });

    test('have ten thousand values at most', async () => {
      const queue = new TableQueue(single);
      // Four values each, so two of them are below ten thousand.
      for (const count of [1_000, 999, 998, 997, 996, 995]) {
        for (let call = 0; call < 3; call++) {
          await queue.enqueueMany(send, jobs(count));
        }
      }
      expect(await counted('prepare')).toBe(6);
      expect(await counted('close')).toBe(4);
    });

    test('are prepared again when the table has changed', async () => {
      const queue = new TableQueue(single);
      for (let call = 0; call < 3; call++) {
        await queue.enqueueMany(send, jobs(10));
      }
      await bench.dataSource.query('ALTER TABLE tq_job ADD COLUMN note VARCHAR(10) NULL FIRST');
      await queue.enqueueMany(send, jobs(10));
      await bench.dataSource.query('ALTER TABLE tq_job DROP COLUMN note');
      await queue.enqueueMany(send, jobs(10));
      expect(await bench.liveJobs()).toHaveLength(50);
      // Once by us, twice by the server.
      expect(await counted('prepare')).toBe(3);
    });

    test('fall back to text if the session has lost them', async () => {
      const queue = new TableQueue(single);
      for (let call = 0; call < 3; call++) {
        await queue.enqueueMany(send, jobs(10));
      }
      expect(await counted('execute')).toBe(1);
      const runner = single.createQueryRunner();
      // What a proxy does that hands the connection another session: the driver goes on with statements of the last
      // one.
      const connection = (await runner.connect()) as { _statements: { values(): Iterable<{ close(): void }> } };
      [...connection._statements.values()].forEach((statement) => statement.close());
      await runner.release();
      for (let call = 0; call < 3; call++) {
        await queue.enqueueMany(send, jobs(10));
      }
      expect(await bench.liveJobs()).toHaveLength(60);
    });

    test('fall back to text if the server prepares no more', async () => {
      const queue = new TableQueue(single);
      const [most] = await bench.dataSource.query<{ most: number }[]>('SELECT @@max_prepared_stmt_count AS most');
      await bench.dataSource.query('SET GLOBAL max_prepared_stmt_count = 0');
      try {
        for (let call = 0; call < 5; call++) {
          await queue.enqueueMany(send, jobs(60));
        }
      } finally {
        await bench.dataSource.query(`SET GLOBAL max_prepared_stmt_count = ${most?.most}`);
      }
      expect(await counted('execute')).toBe(0);
      expect(await bench.liveJobs()).toHaveLength(300);
    });
  },
  SERVER_ENGINES,
);

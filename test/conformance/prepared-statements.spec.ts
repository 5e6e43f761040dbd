import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type BulkJob, TableQueue, type TableQueueJob, defineJob } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import { SERVER_ENGINES } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { Workbench } from '../support/workbench.js';

const send = defineJob<string>('send');

const PAST = new Date('2026-01-01T00:00:00.123Z');
const FUTURE = new Date('2199-12-31T23:59:59.999Z');
const KINDS: readonly BulkJob<string>[] = [
  { payload: 'plain' },
  { payload: `'"\\\0\u2028?%\u{1F680}\uD800` },
  { payload: 'soon', delay: '2h' },
  { payload: 'at', runAt: FUTURE },
  { payload: 'late', runAt: PAST },
  { payload: 'first', priority: -500, runAt: PAST },
  { payload: 'last', priority: 500 },
  { payload: 'keyed', key: `it's \\ "quoted" ?` },
  { payload: 'tenant', tenant: 'a tenant' },
  { payload: 'later', tenant: 'another', delay: 1 },
];

describeEach(
  'prepared INSERTs',
  (engine) => {
    let bench: Workbench;
    /** With one connection, so that each call finds what the one before has prepared. */
    let single: DataSource;
    beforeAll(async () => {
      bench = await Workbench.open(engine);
      single = await bench.database.connect({ extra: { connectionLimit: 1 } });
    });
    afterEach(async () => {
      await bench.reset();
      // Another connection, of which nobody knows anything.
      await single.destroy();
      await single.initialize();
    });
    afterAll(() => bench.close());

    const counted = async (command: 'prepare' | 'execute' | 'close'): Promise<number> => {
      const [row] = await single.query<{ Value: string }[]>(`SHOW SESSION STATUS LIKE 'Com_stmt_${command}'`);
      return Number(row?.Value);
    };
    const jobs = (count: number): BulkJob<string>[] =>
      Array.from({ length: count }, (_, index) => ({ payload: `${index}` }));

    describe.each([
      { title: 'a few jobs, whose times the server works out', copies: 1 },
      { title: 'many jobs, of which each time is a value', copies: 6 },
    ])('of $title', ({ copies }) => {
      test('store what INSERTs in text do', async () => {
        const given = Array.from({ length: copies }, () => KINDS).flat();
        const stored = async (preparedStatements: boolean) => {
          const queue = new TableQueue(single, { preparedStatements });
          for (let call = 0; call < 4; call++) {
            await bench.reset();
            await queue.enqueueMany(send, given);
          }
          return (await bench.liveJobs()).sort((a, b) => (a.id < b.id ? -1 : 1)).map(withoutMoment);
        };
        const asText = await stored(false);
        expect(await counted('execute')).toBe(0);
        const prepared = await stored(true);
        expect(await counted('execute')).toBeGreaterThan(0);
        expect(prepared).toHaveLength(given.length);
        expect(prepared).toEqual(asText);
      });
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

    test('are not made for single jobs, nor for batches of which each is of another size', async () => {
      const queue = new TableQueue(single);
      for (let count = 1; count < 60; count++) {
        await queue.enqueue(send, 'alone');
        await queue.enqueueMany(send, jobs(count));
      }
      expect(await counted('prepare')).toBe(0);
    });

    test('are kept sixteen at a time, and as long as they are used', async () => {
      const queue = new TableQueue(single);
      const enqueue = async (count: number) => queue.enqueueMany(send, jobs(count));
      for (let count = 5; count < 45; count++) {
        for (let call = 0; call < 3; call++) {
          await enqueue(count);
        }
        await enqueue(5);
      }
      // Forty sizes, of which one was in use throughout.
      expect(await counted('prepare')).toBe(40);
      expect(await counted('close')).toBe(24);
    });

    test('have ten thousand values at most', async () => {
      const queue = new TableQueue(single);
      for (const count of [500, 499, 498]) {
        for (let call = 0; call < 3; call++) {
          await queue.enqueueMany(send, jobs(count));
        }
      }
      expect(await counted('prepare')).toBe(3);
      expect(await counted('close')).toBe(1);
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

    test('give way to text where the session has lost them', async () => {
      const queue = new TableQueue(single);
      for (let call = 0; call < 3; call++) {
        await queue.enqueueMany(send, jobs(10));
      }
      expect(await counted('execute')).toBe(1);
      const runner = single.createQueryRunner();
      // What a proxy does that hands the connection another session: the driver goes on with statements of the last one.
      const connection = (await runner.connect()) as { _statements: { values(): Iterable<{ close(): void }> } };
      [...connection._statements.values()].forEach((statement) => statement.close());
      await runner.release();
      for (let call = 0; call < 3; call++) {
        await queue.enqueueMany(send, jobs(10));
      }
      expect(await bench.liveJobs()).toHaveLength(60);
    });

    test('give way to text where the server prepares no more', async () => {
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

/** A job as it is stored, but for its id and the moment: times are counted from its creation, but for those given. */
function withoutMoment(job: TableQueueJob) {
  const { id: _, createdAt, runAt, position, ...rest } = job;
  const isGiven = [PAST, FUTURE].some((time) => time.getTime() === runAt);
  const since = isGiven ? 0 : createdAt;
  return { ...rest, runAt: runAt - since, position: position - since };
}

import { beforeAll, expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';
import { TableQueueKey, TableQueueUnique } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { callOn, callProcedure, createProcedure, onSession } from '../support/sql-enqueue.js';
import { useWorkbench } from '../support/use-workbench.js';

const SERVERS = ['mariadb', 'mariadb118', 'mysql'] as const;
const job = { queue: 'sql', name: 'sql.job', payload: '{"a":1}' };
const unique = { key: 'one', while: 'unfinished' };
const definition = defineJob<unknown>(job.name, { queue: job.queue });

describeEach(
  'the procedure in transactions',
  (engine) => {
    const bench = useWorkbench(engine);

    beforeAll(async () => {
      const { dataSource } = bench;
      await createProcedure(dataSource);
      await dataSource.query('CREATE TABLE orders (id INT PRIMARY KEY, mail VARCHAR(255) CHARACTER SET utf8mb4)');
      await dataSource.query(`
        CREATE TRIGGER order_stored AFTER INSERT ON orders FOR EACH ROW
        BEGIN
          CALL tq_enqueue('sql', 'sql.job', JSON_OBJECT('id', NEW.id, 'to', NEW.mail),
            JSON_OBJECT('key', CONCAT('order:', NEW.id), 'unique', JSON_OBJECT('key', CONCAT('o', NEW.id))), @job_id);
          IF NEW.mail IS NULL THEN
            SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no mail';
          END IF;
        END`);
    });

    const nothingStored = async () => {
      expect(await bench.isEmpty()).toBe(true);
      expect(await bench.rows(TableQueueKey)).toEqual([]);
      expect(await bench.rows(TableQueueUnique)).toEqual([]);
    };

    test('a transaction that rolls back stores nothing, and one that commits everything', async () => {
      const options = { key: 'k', unique, expiresIn: 1_000 };
      await onSession(bench.dataSource, async (session) => {
        await session.startTransaction();
        await callOn(session, { ...job, options });
        expect(await bench.liveJobs()).toEqual([]);
        await session.rollbackTransaction();
        await nothingStored();
        await session.startTransaction();
        const id = await callOn(session, { ...job, options });
        await session.commitTransaction();
        expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', payload: { a: 1 }, key: 'k' });
      });
    });

    test('a trigger enqueues each row of a statement, in their order', async () => {
      const values = Array.from({ length: 50 }, (_, index) => `(${100 - index}, 'ädä${index}@example.org')`);
      await bench.dataSource.query(`INSERT INTO orders VALUES ${values.join()}`);
      // With equal times, jobs run in the order of their ids.
      const rows = await bench.dataSource.query<{ payload: string }[]>(
        'SELECT payload FROM tq_job WHERE queue = ? AND state = ? ORDER BY position, id',
        [job.queue, 'ready'],
      );
      const stored = rows.map(({ payload }) => (JSON.parse(payload) as { to: string }).to);
      expect(stored).toEqual(Array.from({ length: 50 }, (_, index) => `ädä${index}@example.org`));
      await bench.dataSource.query('DELETE FROM orders');
    });

    test('a trigger that fails, or whose statement is rolled back, stores nothing', async () => {
      await expect(bench.dataSource.query("INSERT INTO orders VALUES (1, 'a'), (2, NULL)")).rejects.toThrow('no mail');
      await nothingStored();
      await onSession(bench.dataSource, async (session) => {
        await session.startTransaction();
        await session.query("INSERT INTO orders VALUES (1, 'a')");
        await session.rollbackTransaction();
      });
      await nothingStored();
      const call = bench.dataSource.query("INSERT INTO orders VALUES (1, REPEAT('x', 255)), (1, 'b')");
      await expect(call).rejects.toThrow(/Duplicate/);
      await nothingStored();
    });

    test('a key is unique across SQL and code', async () => {
      const first = await callProcedure(bench.dataSource, { ...job, options: { unique } });
      expect(await callProcedure(bench.dataSource, { ...job, options: { unique } })).toBe(first);
      expect(await bench.queue.enqueue(definition, 2, { unique: { key: 'one' } })).toMatchObject({
        id: first,
        created: false,
      });
      const refused = callProcedure(bench.dataSource, {
        ...job,
        options: { unique: { key: 'one', onConflict: 'throw' } },
      });
      await expect(refused).rejects.toThrow(`Tablequeue: unique key 'one' of sql.job is held by job ${first}`);
      expect(await bench.liveJobs()).toHaveLength(1);
      await bench.queue.cancel(first);
      expect(await callProcedure(bench.dataSource, { ...job, options: { unique } })).not.toBe(first);
    });

    test('a key whose window is over is free', async () => {
      const options = { unique: { key: 'w', period: 60_000 } };
      const first = await callProcedure(bench.dataSource, { ...job, options });
      expect(await callProcedure(bench.dataSource, { ...job, options })).toBe(first);
      await bench.dataSource.query('UPDATE tq_unique SET window_until = 1');
      const second = await callProcedure(bench.dataSource, { ...job, options });
      expect(second).not.toBe(first);
      expect(await bench.rows(TableQueueUnique)).toMatchObject([{ jobId: second, lasts: 'window' }]);
    });

    test.each([false, true])('calls at the same time store a unique job once (in transactions: %s)', async (inside) => {
      for (let round = 0; round < 5; round++) {
        const options = { unique: { key: `r${round}` } };
        const ids = await Promise.all(
          Array.from({ length: 6 }, async (_, index) =>
            index % 2 === 0
              ? onSession(bench.dataSource, async (session) => {
                  if (inside) {
                    await session.startTransaction('READ COMMITTED');
                  }
                  const id = await callOn(session, { ...job, options });
                  if (inside) {
                    await session.commitTransaction();
                  }
                  return id;
                })
              : (await bench.queue.enqueue(definition, 1, options)).id,
          ),
        );
        expect(new Set(ids).size).toBe(1);
      }
      const jobs = await bench.liveJobs();
      expect(jobs).toHaveLength(5);
      expect(new Set((await bench.rows(TableQueueUnique)).map(({ jobId }) => jobId))).toEqual(
        new Set(jobs.map(({ id }) => id)),
      );
    });

    test('frees the key it has taken if the job cannot be stored', async () => {
      await bench.dataSource.query(`
        CREATE TRIGGER refuse_jobs BEFORE INSERT ON tq_job FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'`);
      try {
        await onSession(bench.dataSource, async (session) => {
          await session.startTransaction();
          await expect(callOn(session, { ...job, options: { unique } })).rejects.toThrow('no');
          await session.commitTransaction();
        });
      } finally {
        await bench.dataSource.query('DROP TRIGGER refuse_jobs');
      }
      await nothingStored();
      await callProcedure(bench.dataSource, { ...job, options: { unique } });
      expect(await bench.liveJobs()).toHaveLength(1);
    });

    test('does not wait for other transactions that enqueue or limit', async () => {
      await bench.queue.control.limit('sql', { concurrency: 1 });
      await onSession(bench.dataSource, async (session) => {
        await session.startTransaction();
        await callOn(session, job);
        await session.query("UPDATE tq_queue SET concurrency = 2 WHERE queue = 'sql'");
        await onSession(bench.dataSource, async (other) => {
          await other.query('SET SESSION innodb_lock_wait_timeout = 1');
          await callOn(other, job);
        });
        await session.rollbackTransaction();
      });
      expect(await bench.liveJobs()).toHaveLength(1);
    });
  },
  SERVERS,
);

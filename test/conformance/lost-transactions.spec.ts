import { describe, expect, test } from '@jest/globals';
import {
  TransactionLostError,
  UnrecoverableJobError,
  defineJob,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import { CHANGING_CALLS } from '../support/changing-calls.js';
import { describeEach, describeOnOlderToo } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { sentVerbs } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { Workbench } from '../support/workbench.js';

const mail = defineJob<number>('mail');
const failing = defineJob('failing', { retry: { attempts: 1 } });

class Rollback extends Error {}

/** Waits for some turns of the queue of promises. */
async function afterTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await Promise.resolve();
  }
}

describeOnOlderToo('a transaction that the database has ended', (engine) => {
  // On SQLite all transactions share a query runner, and TypeORM does not learn that its transaction has ended.
  const bench = useWorkbench(engine, { isolation: engine === 'sqlite' ? 'database' : 'tables' });

  /**
   * Runs a statement that fails and rolls back the transaction: a deadlock.
   *
   * @param beside called when it was sent.
   */
  async function failAndRollBack(manager: EntityManager, beside: () => void = () => undefined): Promise<unknown> {
    if (engine === 'sqlite') {
      const failing = manager.query('INSERT OR ROLLBACK INTO note (id, text) VALUES (1, 1)');
      beside();
      return failing;
    }
    const other = bench.dataSource.createQueryRunner();
    await other.startTransaction();
    await manager.query("UPDATE note SET text = 'a' WHERE id = 1");
    // The server rolls back the transaction that has changed less.
    await other.query("UPDATE note SET text = 'b' WHERE id BETWEEN 2 AND 19");
    const waiting = other.query("UPDATE note SET text = 'b' WHERE id = 1");
    const deadlock = manager.query("UPDATE note SET text = 'a' WHERE id = 2");
    beside();
    await Promise.allSettled([deadlock, waiting]);
    await other.rollbackTransaction();
    await other.release();
    return deadlock;
  }

  /** A caught deadlock. */
  async function deadlock(manager: EntityManager): Promise<void> {
    await expect(failAndRollBack(manager)).rejects.toThrow(engine === 'sqlite' ? /UNIQUE constraint/ : /Deadlock/);
  }

  async function insertNotes(): Promise<void> {
    await bench.dataSource
      .getRepository(Note)
      .insert(Array.from({ length: 20 }, (_, index) => ({ id: index + 1, text: '' })));
  }

  // A retry changes only a job that has failed.
  const calls = Object.keys(CHANGING_CALLS).filter((name) => name !== 'failed.retry');

  test.each(calls)('refuses %s after a caught error, and stores nothing', async (name) => {
    await insertNotes();
    const { id } = await bench.queue.enqueue(mail, 0, { key: 'order:1', delay: '1h' });
    const work = bench.dataSource.transaction(async (manager) => {
      await manager.insert(Note, { id: 100, text: 'lost' });
      await bench.queue.enqueue(mail, 7, { manager });
      await deadlock(manager);
      await CHANGING_CALLS[name]!(bench.queue, { manager }, { id, key: 'order:1' });
    });
    const error = await work.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TransactionLostError);
    if (engine !== 'sqlite') {
      expect(error).toMatchObject({ errno: 1213, code: 'ER_LOCK_DEADLOCK' });
    }
    expect(await bench.liveJobs()).toMatchObject([{ id, state: 'scheduled' }]);
    expect(await bench.rows(Note)).toHaveLength(20);
  });

  test('refuses the retry of a failed job', async () => {
    await insertNotes();
    const { id } = await bench.queue.enqueue(failing);
    await bench.work([
      jobHandler(failing, () => {
        throw new UnrecoverableJobError('no');
      }),
    ]);
    await bench.untilJobIs(id, 'failed');
    await bench.stopWorkers();
    const work = bench.dataSource.transaction(async (manager) => {
      await deadlock(manager);
      await bench.queue.failed.retry(id, { manager });
    });
    await expect(work).rejects.toThrow(TransactionLostError);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'failed' });
  });

  test('refuses a second enqueue too, whose error is caught', async () => {
    await insertNotes();
    await bench.dataSource.transaction(async (manager) => {
      await deadlock(manager);
      for (const payload of [1, 2]) {
        await expect(bench.queue.enqueue(mail, payload, { manager })).rejects.toThrow(TransactionLostError);
      }
      if (engine === 'sqlite') {
        // TypeORM's COMMIT would fail.
        await manager.query('BEGIN');
      }
    });
    expect(await bench.liveJobs()).toEqual([]);
  });

  test.each([0, 1, 2, 3])('stores no job that was enqueued while the statement failed: %d', async (turns) => {
    await insertNotes();
    const enqueues: Promise<unknown>[] = [];
    const work = bench.dataSource.transaction(async (manager) => {
      const enqueue = async () => {
        await afterTurns(turns);
        return bench.queue.enqueue(mail, 1, { manager });
      };
      await failAndRollBack(manager, () => enqueues.push(enqueue()));
    });
    await expect(work).rejects.toThrow(engine === 'sqlite' ? /UNIQUE/ : /Deadlock/);
    await Promise.allSettled(enqueues);
    expect(enqueues).toHaveLength(1);
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('refuses an enqueue beside the error that ends the transaction', async () => {
    for (let turns = 0; turns < 20; turns++) {
      const enqueues: Promise<unknown>[] = [];
      const work = bench.dataSource.transaction(async (manager) => {
        await manager.insert(Note, { id: 1, text: 'rolled back' });
        enqueues.push(afterTurns(turns).then(() => bench.queue.enqueue(mail, turns, { manager })));
        throw new Rollback();
      });
      await expect(work).rejects.toThrow(Rollback);
      await Promise.allSettled(enqueues);
      expect(await bench.liveJobs()).toEqual([]);
    }
  });

  test('is not taken for one after other errors', async () => {
    await insertNotes();
    await bench.dataSource.transaction(async (manager) => {
      await bench.queue.enqueue(mail, 1, { manager });
      await expect(manager.insert(Note, { id: 1, text: 'again' })).rejects.toThrow(/UNIQUE|Duplicate/);
      await bench.queue.enqueue(mail, 2, { manager });
      await manager.transaction((inner) => bench.queue.enqueue(mail, 3, { manager: inner }));
    });
    expect(await bench.liveJobs()).toHaveLength(3);
  });

  test('stores nothing that a transactional handler enqueues after a caught error', async () => {
    await insertNotes();
    const job = defineJob('job', { retry: { attempts: 1 } });
    const errors: unknown[] = [];
    await bench.work([
      transactionalHandler(job, async (_payload, { manager }) => {
        await deadlock(manager);
        await bench.queue.enqueue(mail, 1, { manager }).catch((error: unknown) => errors.push(error));
      }),
    ]);
    const { id } = await bench.queue.enqueue(job);
    await bench.untilJobIs(id, 'failed');
    expect(errors).toEqual([expect.any(TransactionLostError)]);
    expect(await bench.liveJobs()).toEqual([]);
  });
});

describeEach('a manager without an open transaction', (engine) => {
  const bench = useWorkbench(engine, { isolation: engine === 'sqlite' ? 'database' : 'tables' });

  test.each(Object.keys(CHANGING_CALLS))('is refused by %s after its transaction has ended', async (name) => {
    const { id } = await bench.queue.enqueue(mail, 0, { delay: '1h' });
    const ended = await bench.dataSource.transaction((manager) => Promise.resolve(manager));
    const call = CHANGING_CALLS[name]!(bench.queue, { manager: ended }, { id, key: 'order:1' });
    await expect(call).rejects.toThrow(/"manager" is .* that of an open transaction/);
    expect(await bench.liveJobs()).toMatchObject([{ id, state: 'scheduled' }]);
  });

  test('is refused before its transaction begins', async () => {
    const queryRunner = bench.dataSource.createQueryRunner();
    await expect(bench.queue.enqueue(mail, 1, { queryRunner })).rejects.toThrow(/"queryRunner" is .* an open transact/);
    await queryRunner.release();
    expect(await bench.liveJobs()).toEqual([]);
  });
});

describe('two transactions that begin in one tick on SQLite', () => {
  // The ROLLBACK of one ends the other, whose enqueue comes before or after it.
  test.each([0, 1, 2, 3, 5, 10, 20])('store no job of the one that was rolled back: %d', async (turns) => {
    const bench = await Workbench.open('sqlite');
    const results = await Promise.allSettled(
      [1, 2].map((payload) =>
        bench.dataSource.transaction(async (manager) => {
          await afterTurns(turns);
          await bench.queue.enqueue(mail, payload, { manager });
        }),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await bench.liveJobs()).toEqual([]);
    await bench.close();
  });
});

describeEach(
  'a transaction on a server',
  (engine) => {
    const bench = useWorkbench(engine);

    test.each(['DROP TABLE IF EXISTS made', 'COMMIT', 'OPTIMIZE TABLE note'])(
      'that %s has committed is refused',
      async (statement) => {
        const work = bench.dataSource.transaction(async (manager) => {
          await bench.queue.enqueue(mail, 1, { manager });
          await manager.query(statement);
          await bench.queue.enqueue(mail, 2, { manager });
        });
        await expect(work).rejects.toThrow(TransactionLostError);
        expect((await bench.liveJobs()).map(({ payload }) => payload)).toEqual(['1']);
      },
    );

    test('that has ended is refused by reads too', async () => {
      const { id } = await bench.queue.enqueue(mail, 1, { key: 'order:1' });
      const ended = await bench.dataSource.transaction((manager) => Promise.resolve(manager));
      for (const read of [
        () => bench.queue.find(id, { manager: ended }),
        () => bench.queue.findByKey('order:1', { manager: ended }),
        () => bench.queue.groups.find(id, { manager: ended }),
      ]) {
        await expect(read()).rejects.toThrow(/"manager" is .* that of an open transaction/);
      }
    });

    test('is asked for only after an error', async () => {
      const statements = await sentVerbs(bench.dataSource, () =>
        bench.dataSource.transaction(async (manager) => {
          await manager.query('SELECT 1');
          await bench.queue.enqueue(mail, 1, { manager });
          await bench.queue.enqueue(mail, 2, { manager });
          await manager.query('SELECT nonsense').catch(() => undefined);
          await bench.queue.enqueue(mail, 3, { manager });
          await bench.queue.enqueue(mail, 4, { manager });
        }),
      );
      const enqueues = ['INSERT', 'INSERT'];
      expect(statements).toEqual(['START', 'SELECT', ...enqueues, 'SELECT', 'SAVEPOINT', ...enqueues, 'COMMIT']);
      expect(await bench.liveJobs()).toHaveLength(4);
    });
  },
  ['mariadb', 'mysql'],
);

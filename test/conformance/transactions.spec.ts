import { expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { sentVerbs } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob<{ note: number }>('mail');

class Rollback extends Error {}

describeOnOlderToo('transactions', (engine) => {
  const bench = useWorkbench(engine);

  /** Runs and checks that it was rolled back. */
  async function rolledBack(work: Promise<unknown>): Promise<void> {
    await expect(work).rejects.toThrow(Rollback);
  }

  test('a job exists when its transaction commits, like other writes of the transaction', async () => {
    const { id } = await bench.dataSource.transaction(async (manager) => {
      await manager.insert(Note, { id: 1, text: 'order' });
      return bench.queue.enqueue(mail, { note: 1 }, { manager, key: 'note:1' });
    });
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', payload: { note: 1 } });
    expect(await bench.queue.findByKey('note:1')).toHaveLength(1);
  });

  test('a job does not exist when its transaction rolls back', async () => {
    await rolledBack(
      bench.dataSource.transaction(async (manager) => {
        await manager.insert(Note, { id: 1, text: 'order' });
        await bench.queue.enqueue(mail, { note: 1 }, { manager, key: 'note:1' });
        await bench.queue.enqueueMany(mail, [{ payload: { note: 2 } }, { payload: { note: 3 } }], { manager });
        throw new Rollback();
      }),
    );
    expect(await bench.liveJobs()).toEqual([]);
    expect(await bench.queue.findByKey('note:1')).toEqual([]);
    expect(await bench.rows(Note)).toEqual([]);
  });

  test('the same holds for a query runner', async () => {
    const queryRunner = bench.dataSource.createQueryRunner();
    try {
      await queryRunner.startTransaction();
      await bench.queue.enqueue(mail, { note: 1 }, { queryRunner });
      await queryRunner.rollbackTransaction();
      await queryRunner.startTransaction();
      await bench.queue.enqueue(mail, { note: 2 }, { queryRunner });
      await queryRunner.commitTransaction();
    } finally {
      await queryRunner.release();
    }
    expect((await bench.liveJobs()).map(({ payload }) => payload)).toEqual(['{"note":2}']);
  });

  test('a savepoint that is rolled back takes its jobs with it, and no others', async () => {
    await bench.dataSource.transaction(async (outer) => {
      await bench.queue.enqueue(mail, { note: 1 }, { manager: outer });
      await outer
        .transaction(async (inner) => {
          await bench.queue.enqueue(mail, { note: 2 }, { manager: inner });
          throw new Rollback();
        })
        .catch(() => undefined);
      await outer.transaction((inner) => bench.queue.enqueue(mail, { note: 3 }, { manager: inner }));
    });
    const notes = (await bench.liveJobs()).map(({ payload }) => (JSON.parse(payload!) as { note: number }).note);
    expect(new Set(notes)).toEqual(new Set([1, 3]));
  });

  test('a committed savepoint in a transaction that is rolled back leaves nothing', async () => {
    await rolledBack(
      bench.dataSource.transaction(async (outer) => {
        await outer.transaction((inner) => bench.queue.enqueue(mail, { note: 1 }, { manager: inner }));
        throw new Rollback();
      }),
    );
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('a worker never sees a job before its commit, and runs it after', async () => {
    const seen: { note: number; committed: boolean }[] = [];
    let committed = false;
    await bench.work([jobHandler(mail, ({ note }) => void seen.push({ note, committed }))], { pollInterval: '10ms' });
    await bench.dataSource.transaction(async (manager) => {
      const { id } = await bench.queue.enqueue(mail, { note: 1 }, { manager });
      expect((await bench.queue.find(id, { manager }))?.state).toBe('ready');
      if (engine !== 'sqlite') {
        // Another job, committed beside it, goes through the whole worker meanwhile. On SQLite it has to wait.
        const other = await bench.queue.enqueue(mail, { note: 2 });
        await bench.untilJobIs(other.id, 'succeeded');
        expect(await bench.queue.find(id)).toBeUndefined();
      }
      expect(seen.map(({ note }) => note)).not.toContain(1);
      committed = true;
    });
    await waitFor('the job has run', () => seen.some(({ note }) => note === 1));
    expect(seen.find(({ note }) => note === 1)).toEqual({ note: 1, committed: true });
  });

  test('cancelling is part of a transaction too', async () => {
    const { id } = await bench.queue.enqueue(mail, { note: 1 }, { delay: '1h', key: 'order:7' });
    await rolledBack(
      bench.dataSource.transaction(async (manager) => {
        expect(await bench.queue.cancelByKey('order:7', { manager })).toEqual({ cancelled: 1, requested: 0 });
        throw new Rollback();
      }),
    );
    expect((await bench.queue.find(id))?.state).toBe('scheduled');
    await bench.dataSource.transaction((manager) => bench.queue.cancel(id, { manager }));
    expect((await bench.queue.find(id))?.state).toBe('cancelled');
  });

  test('a manager outside every transaction stores at once', async () => {
    const { id } = await bench.queue.enqueue(mail, { note: 1 }, { manager: bench.dataSource.manager });
    expect((await bench.queue.find(id))?.state).toBe('ready');
  });

  test('an enqueue in a transaction opens no other transaction and reads nothing', async () => {
    const statements = await sentVerbs(bench.dataSource, () =>
      bench.dataSource.transaction((manager) => bench.queue.enqueue(mail, { note: 1 }, { manager })),
    );
    expect(statements).toEqual([engine === 'sqlite' ? 'BEGIN' : 'START', 'INSERT', 'COMMIT']);
  });

  test('cancelling finished jobs blocks no other transaction', async () => {
    await bench.queue.enqueue(mail, { note: 0 }, { key: 'order:1' });
    await bench.work([jobHandler(mail, () => undefined)]);
    await waitFor('it has ended', async () => (await bench.countFinished()) === 1);
    await bench.stopWorkers();
    // At the isolation of the application. With the gap behind the last job locked, the enqueue would have to wait for
    // this transaction; two that do both would deadlock.
    await bench.dataSource.transaction(async (manager) => {
      expect(await bench.queue.cancelByKey('order:1', { manager })).toEqual({ cancelled: 0, requested: 0 });
      if (engine === 'sqlite') {
        return;
      }
      const other = bench.dataSource.createQueryRunner();
      await other.query('SET SESSION innodb_lock_wait_timeout = 1');
      await other.startTransaction();
      await bench.queue.enqueue(mail, { note: 1 }, { queryRunner: other });
      await other.commitTransaction();
      await other.release();
    });
  });
});

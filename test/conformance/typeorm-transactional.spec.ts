import 'reflect-metadata';

import { beforeAll, expect, test } from '@jest/globals';
import { TableQueue, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TestingQueue } from '@tablequeue/typeorm/testing';
import {
  StorageDriver,
  addTransactionalDataSource,
  initializeTransactionalContext,
  runInTransaction,
} from 'typeorm-transactional';

import { createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob('mail');
const note = defineJob<number>('note', { queue: 'notes' });

initializeTransactionalContext({ storageDriver: StorageDriver.ASYNC_LOCAL_STORAGE });

describeEach('with typeorm-transactional', (engine) => {
  const bench = useWorkbench(engine);
  let queue: TableQueue;
  beforeAll(async () => {
    const dataSource = addTransactionalDataSource({ name: engine, dataSource: await bench.database.connect() });
    queue = new TableQueue(dataSource, { outsideTransaction: 'throw' });
  });

  test('an enqueue joins the transaction that is open', async () => {
    const rolledBack = runInTransaction(
      async () => {
        await queue.enqueue(mail);
        await queue.enqueueMany(mail, [{}, {}]);
        throw new Error('roll back');
      },
      { connectionName: engine },
    );
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await bench.liveJobs()).toEqual([]);
    await runInTransaction(() => queue.enqueue(mail), { connectionName: engine });
    await queue.enqueue(mail);
    expect(await bench.liveJobs()).toHaveLength(2);
  });

  test('a transaction of another data source is not joined', async () => {
    const database = await createDatabase('sqlite');
    const name = `beside ${engine}`;
    const beside = new TableQueue(addTransactionalDataSource({ name, dataSource: await database.connect() }));
    const rolledBack = runInTransaction(
      async () => {
        await Promise.all([queue.enqueue(mail), beside.enqueue(mail)]);
        throw new Error('roll back');
      },
      { connectionName: engine },
    );
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await bench.liveJobs()).toEqual([]);
    expect(await beside.counts()).toMatchObject([{ ready: { count: 1 } }]);
    await database.drop();
  });

  test('so do the expectations and drains of a test', async () => {
    const testing = new TestingQueue(queue, [
      jobHandler(note, async (id) => {
        await queue.dataSource.getRepository(Note).insert({ id, text: 'noted' });
        await queue.enqueue(mail);
      }),
    ]);
    const rolledBack = runInTransaction(
      async () => {
        await queue.enqueue(note, 1);
        await testing.expectEnqueued(note, { payload: 1 });
        expect(await testing.drain()).toMatchObject([{ name: 'note', outcome: 'succeeded' }]);
        expect(await queue.dataSource.getRepository(Note).count()).toBe(1);
        throw new Error('roll back');
      },
      { connectionName: engine },
    );
    const before = await bench.liveJobs();
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await bench.rows(Note)).toEqual([]);
    expect(await bench.liveJobs()).toEqual(before);
  });
});

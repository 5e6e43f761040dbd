import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TableQueue, defineJob, fixed, jobHandler, transactionalHandler } from '@tablequeue/typeorm';
import { DrainFailedError, TestingClock, TestingQueue } from '@tablequeue/typeorm/testing';
import type { DataSource } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { Note } from '../support/note.js';

const order = defineJob<number>('order', { retry: { attempts: 2, backoff: fixed('1m') } });
const mail = defineJob<string>('mail');

describeEach('inline runs', (engine) => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let queue: TableQueue;
  let testing: TestingQueue;
  let mails: string[];
  beforeEach(async () => {
    database = await createDatabase(engine);
    dataSource = await database.connect();
    queue = new TableQueue(dataSource, { clock: new TestingClock() });
    mails = [];
    testing = new TestingQueue(queue, [
      transactionalHandler(order, async (id, { manager }) => {
        await manager.insert(Note, { id, text: 'handled' });
        await queue.enqueue(mail, `order ${id}`, { manager });
        if (id === 13) {
          throw new Error('unlucky');
        }
      }),
      jobHandler(mail, async (text) => {
        await new Promise((resolve) => setImmediate(resolve));
        mails.push(text);
      }),
    ]);
    testing.runInline();
  });
  afterEach(async () => {
    await testing.stopInline();
    await database.drop();
  });

  test('the commit waits until its jobs, and what they enqueue, have run', async () => {
    await dataSource.transaction(async (manager) => {
      await manager.insert(Note, { id: 100, text: 'an order' });
      await queue.enqueue(order, 1, { manager });
      await queue.enqueue(mail, 'thank you', { manager });
      expect(mails).toEqual([]);
    });
    expect(mails).toEqual(['thank you', 'order 1']);
    expect(await dataSource.getRepository(Note).countBy({ text: 'handled' })).toBe(1);
    expect(await testing.drain()).toHaveLength(3);
  });

  test('an enqueue outside a transaction waits too; a rollback runs nothing; delays wait for the clock', async () => {
    await queue.enqueue(mail, 'alone');
    expect(mails).toEqual(['alone']);
    await Promise.all([1, 2, 3].map((number) => queue.enqueue(mail, `together ${number}`)));
    await queue.enqueueMany(mail, [{ payload: 'many' }]);
    await queue.enqueue(mail, 'once', { unique: { key: 'once' } });
    expect(mails).toHaveLength(6);

    const rolledBack = dataSource.transaction(async (manager) => {
      await queue.enqueue(mail, 'never', { manager });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await queue.enqueue(mail, 'later', { delay: '1h' });
    expect(mails).toHaveLength(6);
    testing.clock.advance('1h');
    await testing.drain();
    expect(mails.at(-1)).toBe('later');

    await testing.stopInline();
    await queue.enqueue(mail, 'waits');
    expect(mails.at(-1)).toBe('later');
  });

  test('an error of a handler is thrown by the next drain: the transaction is committed', async () => {
    await dataSource.transaction((manager) => queue.enqueue(order, 13, { manager }));
    const failure = await testing.drain().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DrainFailedError);
    expect(failure).toMatchObject({ cause: { message: 'unlucky' }, jobs: [{ name: 'order', outcome: 'retried' }] });
    expect(mails).toEqual([]);
    expect(await testing.drain()).toEqual([]);
  });
});

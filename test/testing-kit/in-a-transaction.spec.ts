import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TableQueue, batchHandler, defineJob, fixed, jobHandler, transactionalHandler } from '@tablequeue/typeorm';
import { TestingClock, TestingQueue } from '@tablequeue/typeorm/testing';
import type { DataSource, EntityManager, QueryRunner, Repository } from 'typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { useDatabase } from '../support/use-database.js';

const order = defineJob<{ id: number; text: string }>('order', { retry: { attempts: 2, backoff: fixed('1m') } });
const mail = defineJob<string>('mail', { queue: 'mail' });
const sums = defineJob<number>('sums', { queue: 'sums', tenant: (number) => `tenant ${number % 2}` });

/** What an application has: a repository and a queue that were injected, and no manager handed on. */
class Orders {
  readonly mails: string[] = [];
  readonly calls: number[] = [];
  fails = false;

  constructor(
    private readonly notes: Repository<Note>,
    private readonly dataSource: DataSource,
    private readonly queue: TableQueue,
  ) {}

  async place(id: number, manager: EntityManager): Promise<void> {
    await manager.insert(Note, { id, text: 'ordered' });
    await this.queue.enqueue(order, { id, text: 'confirmed' }, { manager });
  }

  readonly handlers = [
    jobHandler(order, async ({ id, text }, { progress }) => {
      progress('half way');
      const found = await this.notes.findOneByOrFail({ id });
      await this.dataSource.transaction(async (manager) => {
        await manager.update(Note, { id }, { text });
        await this.queue.enqueue(mail, `${found.text} ${id}`, { manager });
      });
      await this.queue.enqueue(mail, `${text} ${id}`, { key: `order:${id}` });
      await this.queue.enqueue(mail, 'once', { unique: { key: `once:${id}` } });
      if (this.fails) {
        throw new Error('after all');
      }
    }),
    transactionalHandler(mail, async (text, { manager }) => {
      await manager.insert(Note, { id: 100 + this.mails.push(text), text });
      if (this.fails) {
        throw new Error('no mail');
      }
      return text;
    }),
    batchHandler(sums, (jobs) => void this.calls.push(jobs.length)),
  ];
}

const TABLES = ['tq_job', 'tq_group', 'tq_member', 'tq_key', 'tq_unique', 'tq_error', 'tq_worker', 'note'];

describeOnOlderToo('the testing kit in a transaction of a test', (engine) => {
  let dataSource: DataSource;
  let testing: TestingQueue;
  let queue: TableQueue;
  let orders: Orders;
  let queryRunner: QueryRunner;
  let manager: EntityManager;
  const database = useDatabase(engine);
  beforeEach(async () => {
    dataSource = await database.connect();
    queue = new TableQueue(dataSource, { clock: new TestingClock() });
    orders = new Orders(dataSource.getRepository(Note), dataSource, queue);
    testing = new TestingQueue(queue, orders.handlers);
    queryRunner = dataSource.createQueryRunner();
    await queryRunner.startTransaction();
    ({ manager } = queryRunner);
  });
  afterEach(async () => {
    if (queryRunner.isTransactionActive) {
      await queryRunner.rollbackTransaction();
    }
    await queryRunner.release();
    for (const table of TABLES) {
      expect([table, await dataSource.query(`SELECT * FROM ${table}`)]).toEqual([table, []]);
    }
    await dataSource.destroy();
  });

  test('jobs enqueued in the transaction are visible and run only in it, and its rollback removes them', async () => {
    await orders.place(1, manager);
    await testing.expectEnqueued(order, { payload: { id: 1 }, manager });
    const ran = await testing.drain({ manager });
    expect(ran.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'order succeeded',
      'mail succeeded',
      'mail succeeded',
      'mail succeeded',
    ]);
    expect(orders.mails).toEqual(['ordered 1', 'confirmed 1', 'once']);
    expect(await manager.findOneBy(Note, { id: 1 })).toEqual({ id: 1, text: 'confirmed' });
    expect(await testing.jobs(mail, { manager, state: 'succeeded' })).toHaveLength(3);
    expect(await testing.expectEnqueued(order, { queryRunner })).toMatchObject({ progress: 'half way' });
    expect(await testing.drain({ manager })).toEqual([]);
    if (engine !== 'sqlite') {
      // No other connection sees any of it.
      expect(await testing.jobs()).toEqual([]);
      expect(await testing.drain()).toEqual([]);
    }
    await queryRunner.rollbackTransaction();
    await testing.expectNotEnqueued();
  });

  test('a failed attempt leaves what its handler has committed, a transactional one nothing', async () => {
    orders.fails = true;
    await orders.place(2, manager);
    const ran = await testing.drain({ manager, failures: 'return' });
    expect(ran.map(({ outcome }) => outcome)).toEqual(['retried', 'retried', 'retried', 'retried']);
    expect(await manager.find(Note)).toEqual([{ id: 2, text: 'confirmed' }]);
    orders.fails = false;
    testing.clock.advance('1m');
    const again = await testing.drain({ manager });
    expect(again.filter(({ name }) => name === 'mail').length).toBeGreaterThanOrEqual(3);
    expect(again.every(({ outcome }) => outcome === 'succeeded')).toBe(true);
  });

  test('batches, tenants and groups work in it', async () => {
    await queue.enqueueMany(
      sums,
      [1, 2, 3, 4].map((payload) => ({ payload })),
      { manager },
    );
    await testing.drain({ manager });
    expect(orders.calls.reduce((sum, count) => sum + count)).toBe(4);
    const group = { jobs: [{ definition: sums, payload: 5 }], onComplete: { definition: mail, payload: 'all' } };
    await queue.groups.enqueue(group, { manager });
    // Servers without SKIP LOCKED leave what waits for a group to a worker.
    expect((await testing.drain({ manager })).length).toBe(engine === 'mysql56' ? 1 : 2);
  });

  test('the data source is as before, also for what runs beside a drain', async () => {
    const { manager: own } = dataSource;
    const create = Object.hasOwn(dataSource, 'createQueryRunner');
    await orders.place(3, manager);
    const drained = testing.drain({ manager });
    if (engine !== 'sqlite') {
      expect(await dataSource.query('SELECT * FROM note')).toEqual([]);
      expect(dataSource.manager).toBe(own);
    }
    await drained;
    expect(dataSource.manager).toBe(own);
    expect(Object.hasOwn(dataSource, 'createQueryRunner')).toBe(create);
    expect(Object.hasOwn(queryRunner, 'release')).toBe(false);
  });

  if (engine !== 'sqlite') {
    test('two tests beside one another do not wait for one another', async () => {
      const other = dataSource.createQueryRunner();
      await other.startTransaction();
      await orders.place(4, manager);
      await testing.drain({ manager });
      await orders.place(5, other.manager);
      await testing.drain({ manager: other.manager });
      await orders.place(6, manager);
      expect(await testing.drain({ manager })).toHaveLength(4);
      await other.rollbackTransaction();
      await other.release();
    });
  }
});

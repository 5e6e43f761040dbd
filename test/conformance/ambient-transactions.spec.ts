import { afterEach, describe, expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  OutsideTransactionError,
  TableQueue,
  TableQueueJob,
  type TableQueueOptions,
  defineJob,
} from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import { CHANGING_CALLS } from '../support/changing-calls.js';
import { ChildProcess } from '../support/child-process.js';
import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useWorkbench } from '../support/use-workbench.js';

const CALLERS = new URL('../dist/processes/callers-at-once.js', import.meta.url);
const mail = defineJob('mail');
const bill = defineJob('bill');

describeEach('calls beside an open transaction', (engine) => {
  const bench = useWorkbench(engine);
  const logger = new RecordingLogger();
  const queueWith = (options: TableQueueOptions) => new TableQueue(bench.dataSource, { logger, ...options });
  afterEach(() => void (logger.lines.length = 0));

  // On SQLite a call beside waits until the transaction around it has ended.
  const beside = async (work: () => Promise<unknown>) => {
    let done: Promise<unknown> | undefined;
    await bench.dataSource
      .transaction(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        done = work();
        done.catch(() => undefined);
        await (engine === 'sqlite' ? undefined : done.catch(() => undefined));
        throw new Error('roll back');
      })
      .catch(() => undefined);
    return done;
  };

  test('a warning names the job, once, and the enqueued job survives the rollback', async () => {
    const queue = queueWith({});
    await beside(() => queue.enqueue(mail));
    await beside(() => queue.enqueue(mail));
    await beside(() => queue.enqueueMany(bill, [{}]));
    expect(await bench.liveJobs()).toHaveLength(3);
    expect(logger.lines).toEqual([
      expect.stringContaining('The enqueue of "mail" is inside an open transaction but not part of it'),
      expect.stringContaining('The enqueue of "bill"'),
    ]);
  });

  test('it can be an error', async () => {
    const queue = queueWith({ outsideTransaction: 'throw' });
    const { id } = await queue.enqueue(mail, undefined, { key: 'k' });
    await expect(beside(() => queue.enqueue(mail))).rejects.toThrow(OutsideTransactionError);
    await expect(beside(() => queue.cancel(id))).rejects.toThrow('The cancellation of jobs');
    await expect(beside(() => queue.cancelByKey('k'))).rejects.toThrow(OutsideTransactionError);
    expect(await bench.liveJobs()).toHaveLength(1);
    expect(logger.lines).toEqual([]);
  });

  describe('the manager of', () => {
    const managers: Record<string, () => EntityManager> = {
      'the data source': () => bench.dataSource.manager,
      'a repository': () => bench.dataSource.getRepository(Note).manager,
      "a queue's repository": () => bench.dataSource.getRepository(TableQueueJob).manager,
      'no transaction': () => bench.dataSource.createEntityManager(),
    };

    test.each(Object.keys(managers))('%s is not that of the transaction', async (name) => {
      await beside(() => queueWith({}).enqueue(mail, undefined, { manager: managers[name]!() }));
      expect(await bench.liveJobs()).toHaveLength(1);
      expect(logger.lines).toEqual([expect.stringContaining('inside an open transaction but not part of it')]);
      const strict = queueWith({ outsideTransaction: 'throw' });
      for (const call of Object.values(CHANGING_CALLS)) {
        const job = { id: '019ac4b4-0000-7000-8000-000000000000', key: 'k' };
        const refused = beside(() => call(strict, { manager: managers[name]!() }, job));
        await expect(refused).rejects.toThrow(OutsideTransactionError);
      }
      expect(await bench.liveJobs()).toHaveLength(1);
    });
  });

  test.each(Object.keys(CHANGING_CALLS))('%s with outsideTransaction commits on its own', async (name) => {
    const strict = queueWith({ outsideTransaction: 'throw' });
    const { id } = await strict.enqueue(mail, undefined, { key: 'k', delay: '1h' });
    await beside(() => CHANGING_CALLS[name]!(strict, { outsideTransaction: true }, { id, key: 'k' }));
    const isCancelled = (await strict.find(id))?.state === 'cancelled';
    expect(isCancelled).toBe(name.startsWith('cancel'));
    const isEnqueued = (await bench.liveJobs()).length > 1;
    expect(isEnqueued).toBe(name.includes('enqueue'));
    expect(logger.lines).toEqual([]);
  });

  test("the queue's outsideTransaction permits all calls", async () => {
    const queue = queueWith({ outsideTransaction: 'allow' });
    await beside(() => queue.enqueue(mail));
    await beside(() => queue.enqueue(mail, undefined, { manager: bench.dataSource.manager }));
    expect(await bench.liveJobs()).toHaveLength(2);
    expect(logger.lines).toEqual([]);
  });

  test('a call that starts at the same time as a transaction is not inside it', async () => {
    const queue = queueWith({ outsideTransaction: 'throw' });
    const inside = bench.dataSource.transaction(async () => {
      if (engine !== 'sqlite') {
        await expect(queue.enqueue(mail)).rejects.toThrow(OutsideTransactionError);
      }
    });
    await Promise.all([inside, queue.enqueue(bill)]);
    expect(await bench.liveJobs()).toMatchObject([{ name: 'bill' }]);
  });

  test('transactions of other callers, ended transactions and released savepoints do not affect a call', async () => {
    const queue = queueWith({ outsideTransaction: 'throw' });
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const begun = new Promise<void>((begin) => {
      // As if in another request.
      setImmediate(() => {
        void bench.dataSource.transaction(async () => {
          begin();
          await held;
        });
      });
    });
    await begun;
    const stored = queue.enqueue(mail);
    end();
    await stored;
    await bench.dataSource.transaction(async (manager) => {
      await manager.transaction(async () => undefined);
      await expect(queue.enqueue(mail)).rejects.toThrow(OutsideTransactionError);
      await queue.enqueue(mail, undefined, { manager });
    });
    await queue.enqueue(mail);
    expect(await bench.liveJobs()).toHaveLength(3);
  });

  // On SQLite transactions of one data source that overlap are one.
  const testOnServers = engine === 'sqlite' ? () => undefined : test;
  testOnServers('concurrent callers are distinguished', async () => {
    const config = JSON.stringify({ engine, url: bench.database.url });
    const callers = ChildProcess.start(CALLERS, { CONFIG: config });
    await callers.ended();
    expect(callers.output.trim()).toBe('nothing');
  });

  test('a transaction of a query runner is detected too', async () => {
    const queue = queueWith({ outsideTransaction: 'throw' });
    const queryRunner = bench.dataSource.createQueryRunner();
    await queryRunner.startTransaction();
    await expect(queue.enqueue(mail)).rejects.toThrow(OutsideTransactionError);
    await queryRunner.rollbackTransaction();
    await queryRunner.release();
    await queue.enqueue(mail);
  });

  test('a function may return the current manager', async () => {
    let current: TableQueue['dataSource']['manager'] | undefined;
    const queue = queueWith({ outsideTransaction: 'throw', currentManager: () => current });
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      current = manager;
      const { id } = await queue.enqueue(mail);
      expect(await queue.find(id)).toMatchObject({ state: 'ready' });
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    current = undefined;
    expect(await bench.liveJobs()).toEqual([]);
    await queue.enqueue(mail);
  });

  test('a call can commit on its own beside the current manager', async () => {
    let current: TableQueue['dataSource']['manager'] | undefined;
    const queue = queueWith({ outsideTransaction: 'throw', currentManager: () => current });
    let stored: Promise<unknown> | undefined;
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      current = manager;
      stored = queue.enqueue(mail, undefined, { outsideTransaction: true });
      await (engine === 'sqlite' ? undefined : stored);
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    await stored;
    expect(await bench.liveJobs()).toHaveLength(1);
  });

  test('bad input is refused by name', async () => {
    expect(() => queueWith({ outsideTransaction: 'ignore' as never })).toThrow(/"outsideTransaction" is 'ignore'/);
    expect(() => queueWith({ currentManager: bench.dataSource.manager as never })).toThrow(/"currentManager"/);
    const queue = queueWith({});
    const { manager } = bench.dataSource;
    for (const options of [{ outsideTransaction: 'allow' as never }, { outsideTransaction: true, manager }]) {
      await expect(queue.enqueue(mail, undefined, options)).rejects.toThrow(InvalidOptionError);
      await expect(queue.cancelByKey('k', options)).rejects.toThrow(/"outsideTransaction"/);
    }
    const other = await bench.database.connect();
    await expect(queueWith({ currentManager: () => other.manager }).enqueue(mail)).rejects.toThrow(/"currentManager"/);
  });
});

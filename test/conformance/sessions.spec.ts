import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import {
  TableQueue,
  TableQueueJob,
  TableQueueWorker,
  UnsupportedDatabaseError,
  UnsupportedSessionError,
  defineJob,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import type { DataSource, EntityManager } from 'typeorm';

import { createEmptyDatabase, createTables } from '../support/database.js';
import { doctor } from '../support/doctor.js';
import { describeEach } from '../support/each-engine.js';
import { combinationsFor, driverWithSession } from '../support/session-settings.js';
import { walk } from '../support/session-walk.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

describeEach(
  'the whole queue, on connections with',
  (engine) => {
    test.each(combinationsFor(engine))('%s', async (_name, { charset, options }) => {
      const database = await createEmptyDatabase(engine, { charset });
      const dataSource = await database.connect(options);
      await createTables(dataSource);
      const bench = Workbench.on(database, dataSource);
      try {
        await walk(bench);
      } finally {
        await bench.close();
      }
    });
  },
  ['mariadb', 'mysql'],
);

const quote = defineJob<string>('quote');

describeEach(
  'connections that the queue refuses',
  (engine) => {
    const refused: readonly (readonly [string, string])[] = [
      ['sql_select_limit = 2', 'sql_select_limit = 2'],
      ['the character set latin1', 'NAMES latin1'],
      ['the character set utf8mb3', 'NAMES utf8'],
      ['the character set latin1', "character_set_results = 'latin1'"],
      ['the character set latin1', "character_set_connection = 'latin1'"],
      ['sql_mode = NO_BACKSLASH_ESCAPES', "sql_mode = 'NO_BACKSLASH_ESCAPES'"],
      ...(engine === 'mariadb'
        ? ([
            ['sql_mode = ORACLE', "sql_mode = 'ORACLE'"],
            ['sql_mode = EMPTY_STRING_IS_NULL', "sql_mode = 'STRICT_TRANS_TABLES,EMPTY_STRING_IS_NULL'"],
          ] as const)
        : []),
    ];
    const bench = useWorkbench(engine, { isolation: 'database' });
    const queueWith = async (setting: string) =>
      new TableQueue(
        await bench.database.connect({
          driver: driverWithSession(setting.startsWith('NAMES') ? `SET ${setting}` : `SET SESSION ${setting}`),
        }),
      );

    test.each(refused)('%s', async (name, setting) => {
      const queue = await queueWith(setting);
      const refusal = queue.enqueue(quote, "it's");
      await expect(refusal).rejects.toThrow(UnsupportedSessionError);
      await expect(refusal).rejects.toThrow(`connection with ${name}`);
      await expect(queue.counts()).rejects.toThrow(UnsupportedSessionError);
      expect(await bench.liveJobs()).toEqual([]);
    });

    test('with another character set, an enqueue in a transaction fails before anything is sent', async () => {
      const queue = await queueWith('NAMES latin1');
      await queue.dataSource.transaction(async (manager) => {
        for (let call = 0; call < 2; call++) {
          const refusal = queue.enqueue(quote, 'ß木😀', { manager, unique: { key: 'ß木😀' } });
          await expect(refusal).rejects.toThrow('connection with the character set latin1');
        }
      });
      expect(await bench.liveJobs()).toEqual([]);
    });

    test('a worker does not start on tables that cannot hold every character', async () => {
      await bench.dataSource.query(
        'ALTER TABLE tq_job MODIFY payload LONGTEXT CHARACTER SET latin1 COLLATE latin1_bin NULL',
      );
      const start = bench.work([jobHandler(quote, () => undefined)]);
      await expect(start).rejects.toThrow(UnsupportedDatabaseError);
      await expect(start).rejects.toThrow('`tq_job`.payload in latin1_bin');
      const { by } = await doctor(bench.database.url);
      expect(by.tables).toMatchObject({ status: 'problem', change: [expect.stringMatching(/payload.*utf8mb4/)] });
      await bench.dataSource.query(by.tables!.change[0]!);
      await bench.work([jobHandler(quote, () => undefined)]);
    });

    test('without escapes an enqueue in a transaction fails before the commit', async () => {
      const queue = await queueWith("sql_mode = 'NO_BACKSLASH_ESCAPES'");
      // A text that only has backslashes is stored, as another one.
      const transaction = queue.dataSource.transaction((manager) => queue.enqueue(quote, 'C:\\temp', { manager }));
      await expect(transaction).rejects.toThrow(UnsupportedSessionError);
      expect(await bench.liveJobs()).toEqual([]);
    });

    test('completion_type = RELEASE ends a session, and the next call gets another', async () => {
      const dataSource = await bench.database.connect({
        poolSize: 1,
        driver: driverWithSession("SET SESSION completion_type = 'RELEASE'"),
      });
      const queue = new TableQueue(dataSource);
      for (let round = 0; round < 20; round++) {
        await queue.enqueueMany(quote, [{ payload: 'a', key: `${round}` }]);
        expect(await queue.cancelByKey(`${round}`)).toEqual({ cancelled: 1, requested: 0 });
        await dataSource.query('SELECT 1');
      }
      expect(await bench.liveJobs()).toEqual([]);
    });

    test('max_join_size', async () => {
      await bench.queue.enqueueMany(quote, [
        { payload: 'a', key: 'k' },
        { payload: 'b', key: 'k' },
      ]);
      const queue = await queueWith('max_join_size = 1');
      const refusal = queue.findByKey('k');
      await expect(refusal).rejects.toThrow('connection with max_join_size');
      await expect(refusal).rejects.toThrow(UnsupportedSessionError);
    });

    test('a worker works all the same: its own connections are as they should be', async () => {
      const text = `it's "so" \\ 😀`;
      const { id } = await bench.queue.enqueue(quote, text);
      const queue = await queueWith(
        "sql_mode = 'NO_BACKSLASH_ESCAPES', sql_select_limit = 1, max_join_size = 1, NAMES latin1",
      );
      const worker = new TableQueueWorker(queue, [jobHandler(quote, (text) => text)], { logger: bench.logger });
      await worker.start();
      expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: text });
      await worker.stop();
    });

    test('sql_safe_updates, where a statement names rows by a join, also in a transaction', async () => {
      const hopeless = defineJob('hopeless', { retry: { attempts: 1 } });
      await bench.work([jobHandler(hopeless, () => Promise.reject(new Error('no')))]);
      const [first, second] = [await bench.queue.enqueue(hopeless), await bench.queue.enqueue(hopeless)];
      await bench.untilJobIs(first.id, 'failed');
      await bench.untilJobIs(second.id, 'failed');
      await bench.stopWorkers();
      const queue = await queueWith('sql_safe_updates = 1');
      await queue.dataSource.transaction((manager) => queue.failed.retry(first.id, { manager }));
      expect(await queue.failed.retryMany({})).toMatchObject({ retried: 1 });
      expect(await queue.find(second.id)).toMatchObject({ state: 'ready' });
    });

    test('completion_type = RELEASE in transactions of the caller and of handlers', async () => {
      const driver = driverWithSession("SET SESSION completion_type = 'RELEASE'");
      const queue = new TableQueue(await bench.database.connect({ poolSize: 2, driver }));
      const follow = defineJob<number>('follow', { queue: 'follow' });
      const handler = transactionalHandler(follow, async (left, { manager }) => {
        if (left > 0) {
          await queue.enqueue(follow, left - 1, { manager });
        }
      });
      const worker = new TableQueueWorker(queue, [handler], { logger: bench.logger, pollInterval: '20ms' });
      await worker.start();
      for (let round = 0; round < 20; round++) {
        await queue.dataSource.transaction((manager) => queue.enqueue(quote, 'a', { manager, key: `${round}` }));
        expect(await queue.cancelByKey(`${round}`)).toEqual({ cancelled: 1, requested: 0 });
      }
      await queue.enqueue(follow, 9);
      await waitFor('ten jobs have run', async () => {
        const finished = await bench.finishedJobs();
        return finished.filter(({ name, state }) => name === 'follow' && state === 'succeeded').length === 10;
      });
      await worker.stop();
      expect(bench.logger.lines).toEqual([]);
    });
  },
  ['mariadb', 'mysql'],
);

const invoice = defineJob('invoice');

describeEach(
  'the isolation level of connections',
  (engine) => {
    const bench = useWorkbench(engine);
    const connectWith = (...statements: string[]) =>
      bench.database.connect({ poolSize: 1, driver: driverWithSession(...statements) });

    const uncommitted: readonly (readonly [string, () => Promise<DataSource>])[] = [
      ['of the session', () => connectWith('SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED')],
      [
        'of the session, without autocommit',
        () => connectWith('SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED', 'SET SESSION autocommit = 0'),
      ],
      ['of the data source', () => bench.database.connect({ poolSize: 1, isolationLevel: 'READ UNCOMMITTED' })],
    ];

    /** Does something in a transaction; while it is open it begins something else, and rolls back. */
    const rollBackDuring = async <T>(
      first: (manager: EntityManager) => Promise<unknown>,
      second: () => Promise<T>,
    ): Promise<T> => {
      let result: Promise<T> | undefined;
      const transaction = bench.dataSource.transaction(async (manager) => {
        await first(manager);
        result = second();
        await Promise.race([result, sleep(200)]);
        throw new Error('rolled back');
      });
      await expect(transaction).rejects.toThrow('rolled back');
      return result!;
    };

    test.each(uncommitted)('READ UNCOMMITTED %s: rows that are rolled back decide nothing', async (_of, connect) => {
      const dataSource = await connect();
      const queue = new TableQueue(dataSource);
      const unique = { key: 'k' };
      const stored = await rollBackDuring(
        (manager) => bench.queue.enqueue(invoice, undefined, { unique, manager }),
        () => queue.enqueue(invoice, undefined, { unique }),
      );
      expect(stored).toMatchObject({ created: true });
      expect(await bench.queue.find(stored.id)).toMatchObject({ state: 'ready' });

      const { id } = await bench.queue.enqueue(invoice, undefined, { delay: '1h' });
      const once = 'hook 1';
      const answer = await rollBackDuring(
        (manager) => bench.queue.signal(id, 'paid', 1, { once, manager }),
        () => queue.signal(id, 'paid', 2, { once }),
      );
      expect(answer).toBe('sent');
      const late = await rollBackDuring(
        (manager) => bench.queue.cancel(id, { manager }),
        () => queue.signal(id, 'late'),
      );
      expect(late).toBe('sent');
      expect(await bench.dataSource.query('SELECT name, data FROM tq_signal ORDER BY name')).toEqual([
        { name: 'late', data: null },
        { name: 'paid', data: '2' },
      ]);
      expect(await queue.signal(id, 'paid', 3, { once })).toBe('known');
    });

    test('READ UNCOMMITTED of a transaction of the caller', async () => {
      const dataSource = await bench.database.connect({ poolSize: 1 });
      const queue = new TableQueue(dataSource);
      const { id } = await bench.queue.enqueue(invoice, undefined, { delay: '1h' });
      const once = 'hook 1';
      const unique = { key: 'k' };
      const stored = await rollBackDuring(
        (manager) => bench.queue.enqueue(invoice, undefined, { unique, manager }),
        () =>
          dataSource.transaction('READ UNCOMMITTED', (manager) =>
            queue.enqueue(invoice, undefined, { unique, manager }),
          ),
      );
      expect(stored).toMatchObject({ created: true });
      const send = (number: number) =>
        dataSource.transaction('READ UNCOMMITTED', async (manager) => {
          const answers = [await queue.signal(id, 'paid', number, { once, manager })];
          return [...answers, await queue.signal(id, 'paid', number, { once, manager })];
        });
      const sent = await rollBackDuring(
        (manager) => bench.queue.signal(id, 'paid', 1, { once, manager }),
        () => send(2),
      );
      expect(sent).toEqual(['sent', 'known']);
      expect(await send(3)).toEqual(['known', 'known']);
      expect(await bench.dataSource.query('SELECT data FROM tq_signal')).toEqual([{ data: '2' }]);
    });

    test.each([
      ['autocommit = 1', 'SET SESSION autocommit = 1'],
      ['autocommit = 0', 'SET SESSION autocommit = 0'],
      ['completion_type = CHAIN', "SET SESSION completion_type = 'CHAIN'"],
    ])('%s: a transaction that must not lock gaps is at READ COMMITTED', async (_name, statement) => {
      const dataSource = await connectWith(statement);
      const queue = new TableQueue(dataSource);
      const levels: unknown[] = [];
      const { id } = await queue.enqueue(invoice, undefined, { delay: '1h' });
      for (let round = 0; round < 2; round++) {
        // Without autocommit this leaves a transaction open, in which the level cannot be set.
        await dataSource.query('SELECT state FROM tq_job');
        const watch = {
          beforeQuery: ({ query }: { query: string }) => void levels.push(/LEVEL (.*)/.exec(query)?.[1]),
        };
        dataSource.subscribers.push(watch as never);
        await queue.manual.reschedule(id, { delay: '2h' });
        dataSource.subscribers.splice(dataSource.subscribers.indexOf(watch as never), 1);
      }
      expect(levels.filter(Boolean)).toEqual(['READ COMMITTED', 'READ COMMITTED']);
      const { runAt, createdAt } = (await bench.queue.find(id))!;
      expect(+runAt - +createdAt).toBeGreaterThan(7_000_000);
    });
  },
  ['mariadb', 'mysql'],
);

describeEach(
  'a data source with replicas',
  (engine) => {
    const bench = useWorkbench(engine);

    test('is never asked for anything but its master', async () => {
      // A read from this replica finds no tables, as from one that lags far behind.
      const empty = await createEmptyDatabase(engine);
      const replication = { master: { url: bench.database.url }, slaves: [{ url: empty.url }] };
      const dataSource = await bench.database.connect({ url: undefined, replication });
      await expect(dataSource.getRepository(TableQueueJob).find()).rejects.toThrow("doesn't exist");
      const queue = new TableQueue(dataSource, { clock: bench.clock });
      const { id } = await queue.enqueue(quote, 'first', { key: 'k' });
      await dataSource.transaction((manager) => queue.enqueue(quote, 'second', { manager, unique: { key: 'u' } }));
      expect(await queue.enqueue(quote, 'third', { unique: { key: 'u' } })).toMatchObject({ created: false });
      expect(await queue.findByKey('k')).toMatchObject([{ id, state: 'ready' }]);
      expect(await queue.counts()).toMatchObject([{ ready: { count: 2 } }]);
      await queue.recurring.set('often', quote, 'fourth', { every: '1s' });
      expect(await queue.health()).toMatchObject({ database: 'up', problems: [] });
      const worker = new TableQueueWorker(queue, [jobHandler(quote, (text) => text)], { logger: bench.logger });
      await worker.start();
      expect(await queue.waitFor(id)).toBe('first');
      await worker.stop();
      expect(await queue.failed.count()).toBe(0);
      expect(await queue.recurring.list()).toHaveLength(1);
      expect(await queue.lock('l').withLock(() => 'held')).toBe('held');
      expect(bench.logger.lines).toEqual([]);
      await dataSource.destroy();
      await empty.drop();
    });
  },
  ['mariadb', 'mysql'],
);

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  MissingTablesError,
  TableQueue,
  TableQueueWorker,
  defineJob,
  jobHandler,
  upTableQueue,
} from '@tablequeue/typeorm';
import { installedTables, migrationStatements } from '@tablequeue/typeorm/internal';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { ChildProcess } from '../support/child-process.js';
import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { waitFor } from '../support/wait-for.js';

const MIGRATOR = new URL('../dist/processes/migrator.js', import.meta.url);
const AT_ONCE = 4;
/** It is killed after every so many statements. A start of a process for each would take a minute. */
const EVERY = Number(process.env.TABLEQUEUE_EVERY ?? 5);
const count = defineJob<number>('count');

let database: TestDatabase;
let dataSource: DataSource;
const processes: ChildProcess[] = [];

/** Processes that have connected, and wait for a word. */
async function migrators(many: number, config: object = {}): Promise<ChildProcess[]> {
  const { engine, url } = database;
  const started = Array.from({ length: many }, () =>
    ChildProcess.start(MIGRATOR, { CONFIG: JSON.stringify({ engine, url, ...config }) }),
  );
  processes.push(...started);
  await Promise.all(started.map((child) => child.nextMessage()));
  return started;
}

/** What exists, and what is missing compared with the entities. */
async function outcome() {
  const runner = dataSource.createQueryRunner();
  const installed = await installedTables(runner);
  await runner.release();
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return { installed, missing: upQueries.map(({ query }) => query).filter((sql) => /tq_/.test(sql)) };
}

const WHOLE = { installed: { version: 1, missing: [] }, missing: [] };

function eachOnADatabaseOfItsOwn(engine: Engine): void {
  beforeEach(async () => {
    database = await createEmptyDatabase(engine);
    dataSource = await database.connect();
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((child) => child.end('SIGKILL')));
    await database.drop();
  });
}

describeEach('a migration', (engine) => {
  eachOnADatabaseOfItsOwn(engine);

  test('that is killed after any of its statements is finished by running it again', async () => {
    const runner = dataSource.createQueryRunner();
    const statements = migrationStatements(runner, 'up', {}).length;
    for (let statement = 1; statement < statements; statement += EVERY) {
      const [child] = await migrators(1, { statement });
      child!.send('go');
      await expect(child!.ended()).rejects.toThrow('SIGKILL');
      expect((await outcome()).missing).not.toEqual([]);
      await upTableQueue(runner);
      expect(await outcome()).toMatchObject(WHOLE);
      for (const { tableName } of dataSource.entityMetadatas.filter((each) => each.tableName.startsWith('tq_'))) {
        await runner.query(`DROP TABLE ${tableName}`);
      }
    }
    await runner.release();
  });

  test('that several processes run at the same time is run, and fails in none of them', async () => {
    const all = await migrators(AT_ONCE);
    all.forEach((child) => child.send('go'));
    await Promise.all(all.map((child) => child.ended()));
    expect(await outcome()).toMatchObject(WHOLE);
  });

  test('a worker waits for it in vain, fails with a remedy, and starts once it has run', async () => {
    const queue = new TableQueue(dataSource);
    const ran: number[] = [];
    const logger = new RecordingLogger();
    const worker = () =>
      new TableQueueWorker(queue, [jobHandler(count, (number) => void ran.push(number))], { logger });
    const early = worker();
    await expect(early.start()).rejects.toThrow(MissingTablesError);
    await expect(queue.enqueue(count, 1)).rejects.toThrow(MissingTablesError);
    const runner = dataSource.createQueryRunner();
    await upTableQueue(runner);
    await runner.release();
    const later = worker();
    await later.start();
    await queue.enqueue(count, 2);
    await waitFor('it works', () => ran.length === 1);
    await later.stop();
    expect(ran).toEqual([2]);
  });
});

describeEach(
  'a migration on a server',
  (engine) => {
    eachOnADatabaseOfItsOwn(engine);

    test('of an application that is started eight times is run by all of them', async () => {
      class CreateQueue1763700000000 implements MigrationInterface {
        up = (runner: QueryRunner) => upTableQueue(runner, { to: 1 });
        down = () => Promise.resolve();
      }
      // TypeORM's own table for them: processes that make that one at the same time fail, whatever they migrate.
      await (await database.connect({ migrations: [], migrationsRun: true })).destroy();
      const starts = Array.from({ length: 8 }, () =>
        database.connect({ migrations: [CreateQueue1763700000000], migrationsRun: true }),
      );
      const failed = (await Promise.allSettled(starts)).filter(({ status }) => status === 'rejected');
      expect(failed.map((each) => String((each as PromiseRejectedResult).reason))).toEqual([]);
      expect(await outcome()).toMatchObject(WHOLE);
    });
  },
  ['mariadb', 'mysql'],
);

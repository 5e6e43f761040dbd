import 'reflect-metadata';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type DynamicModule, Injectable } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { QueueHandler, TableQueueModule } from '@tablequeue/nestjs';
import { EntityError, TableQueue, defineJob, tableQueueEntities } from '@tablequeue/typeorm';

import { DATABASE_TYPES } from '../support/connection-options.js';
import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { NestApplications } from '../support/nest-application.js';

const greet = defineJob<string>('greet');

@Injectable()
class Greeter {
  @QueueHandler(greet)
  greet(name: string): string {
    return `Hello ${name}`;
  }
}

const applications = new NestApplications();
const databases: TestDatabase[] = [];
afterEach(() => applications.close());
afterAll(() => Promise.all(databases.map((database) => database.drop())));

async function emptyDatabase(engine: TestDatabase['engine']): Promise<TestDatabase> {
  const database = await createEmptyDatabase(engine);
  databases.push(database);
  return database;
}

type QueueOptions = NonNullable<Parameters<typeof TableQueueModule.forRoot>[0]>;

/** The modules of an application that creates its own tables. */
function modulesOn(database: TestDatabase, options: QueueOptions = {}, typeorm: object = {}): DynamicModule[] {
  const source = { ...database.options(), entities: [], autoLoadEntities: true, synchronize: true, ...typeorm };
  const databaseType = DATABASE_TYPES[database.engine];
  return [
    ScheduleModule.forRoot(),
    // A failure is not tried again.
    TypeOrmModule.forRoot({ retryAttempts: 1, ...source }),
    TableQueueModule.forRoot({ databaseType, pollInterval: '20ms', ...options }),
  ];
}

/** Starts an application with these modules, and has it run a job. */
async function greeting(imports: DynamicModule[]): Promise<{ queue: TableQueue; result: unknown }> {
  const queue = (await applications.start({ imports, providers: [Greeter] })).get(TableQueue);
  const { id } = await queue.enqueue(greet, 'Ada');
  return { queue, result: await queue.waitFor(id) };
}

/** The `EntityError` of an application that does not start, at its first try. */
async function errorOf(database: TestDatabase, options: QueueOptions = {}): Promise<EntityError> {
  let isOver = false;
  // More retries than fit into the time of a test.
  const typeorm = { retryAttempts: 1000, retryDelay: 100, toRetry: () => !isOver };
  const imports = modulesOn(database, options, typeorm);
  const error = await applications.start({ imports }).catch((reason: unknown) => reason);
  isOver = true;
  expect(error).toBeInstanceOf(EntityError);
  return error as EntityError;
}

/** The tables of jobs in its database. */
async function jobTables({ dataSource }: TableQueue): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  const tables = await runner.getTables();
  await runner.release();
  return tables.map(({ name }) => name.split('.').at(-1)!).filter((name) => name.endsWith('_job'));
}

describeEach(
  'entities that the application gives, and that Nest loads too',
  (engine) => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await emptyDatabase(engine);
    });

    test('are created once by synchronize, and again find nothing to change', async () => {
      const entities = tableQueueEntities(DATABASE_TYPES[engine]);
      const { queue, result } = await greeting(modulesOn(database, {}, { entities }));
      expect(result).toBe('Hello Ada');
      const { upQueries } = await queue.dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    });
  },
  ['sqlite', 'mariadb'],
);

describeEach(
  'applications of one process with the same name of the data source',
  (engine) => {
    test('may have different types of databases, in turn', async () => {
      const [sqlite, server] = await Promise.all([emptyDatabase('sqlite'), emptyDatabase(engine)]);
      // As decorators of modules do it: all are declared before the first starts.
      const declared = [modulesOn(sqlite), modulesOn(server), modulesOn(sqlite), modulesOn(server)];
      for (const imports of declared) {
        expect((await greeting(imports)).result).toBe('Hello Ada');
        await applications.close();
      }
    });

    test('of different types cannot start at the same time: one works, the error of the other shows why', async () => {
      const [sqlite, server] = await Promise.all([emptyDatabase('sqlite'), emptyDatabase(engine)]);
      const [error, { result }] = await Promise.all([errorOf(sqlite), greeting(modulesOn(server))]);
      expect(error.message).toMatch(
        /start at the same time.*the default data source.*"better-sqlite3".*"mariadb"\. Start them one after the other/,
      );
      expect(result).toBe('Hello Ada');
    });
  },
  ['mariadb'],
);

test('entities of MySQL in a data source of SQLite fail the start at once, and the option is named', async () => {
  const database = await emptyDatabase('sqlite');
  const error = await errorOf(database, { databaseType: undefined });
  expect(error.message).toMatch(/made for "mysql", but .* "better-sqlite3".* databaseType:/);
});

test('a start that has failed does not hide why the next one fails', async () => {
  const [failing, next] = await Promise.all([emptyDatabase('sqlite'), emptyDatabase('sqlite')]);
  const [schedule, typeorm] = modulesOn(failing);
  const secrets = new Error('the secrets cannot be read');
  const queue = TableQueueModule.forRootAsync({
    databaseType: 'better-sqlite3',
    useFactory: () => Promise.reject(secrets),
  });
  await expect(applications.start({ imports: [schedule!, typeorm!, queue] })).rejects.toBe(secrets);
  const error = await errorOf(next, { databaseType: undefined });
  expect(error.message).toMatch(/made for "mysql", but .* "better-sqlite3".* databaseType:/);
});

describe('applications of one process with different prefixes', () => {
  test('each have tables of their own, in turn', async () => {
    const database = await emptyDatabase('sqlite');
    const declared = [modulesOn(database), modulesOn(database, { prefix: 'jobs_' })];
    expect(await jobTables((await greeting(declared[0]!)).queue)).toEqual(['tq_job']);
    await applications.close();
    expect(await jobTables((await greeting(declared[1]!)).queue)).toEqual(['tq_job', 'jobs_job']);
  });

  test('are refused where they start at the same time, and one would use the tables of the other', async () => {
    const [one, other] = await Promise.all([emptyDatabase('sqlite'), emptyDatabase('sqlite')]);
    const started = await Promise.allSettled([
      applications.start({ imports: modulesOn(one) }),
      applications.start({ imports: modulesOn(other, { prefix: 'jobs_' }) }),
    ]);
    const errors = started.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
    expect(errors).toEqual([expect.any(EntityError)]);
    expect(errors[0]!.message).toMatch(/"tq_".*"jobs_"|"jobs_".*"tq_"/);
    expect(errors[0]!.message).toMatch(/start at the same time, give .* different names, or start one after the other/);
  });

  test('a prefix of the module that the given entities do not have is refused', async () => {
    const database = await emptyDatabase('sqlite');
    const typeorm = { entities: tableQueueEntities('better-sqlite3'), autoLoadEntities: false };
    const start = greeting(modulesOn(database, { prefix: 'jobs_' }, typeorm));
    await expect(start).rejects.toThrow(/TableQueueModule has the prefix "jobs_".* entities .* "tq_"/);
  });
});

import 'reflect-metadata';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Injectable, type LoggerService, Module, type ModuleMetadata, Optional } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  DuplicateModuleError,
  InjectTableQueue,
  MissingDataSourceError,
  MissingModuleError,
  QueueHandler,
  QueueReaper,
  TableQueueModule,
  type TableQueueModuleOptions,
  type TableQueueModuleOptionsFactory,
  getTableQueueToken,
} from '@tablequeue/nestjs';
import {
  EntityError,
  InvalidOptionError,
  TableQueue,
  TableQueueJob,
  UnknownOptionError,
  UnsupportedDatabaseError,
  defineJob,
  tableQueueEntities,
} from '@tablequeue/typeorm';
import { seeDocs } from '@tablequeue/typeorm/internal';

import { type TestDatabase, createDatabase } from '../support/database.js';
import { NestApplications, dataSourceModule, queueModule } from '../support/nest-application.js';
import { waitFor } from '../support/wait-for.js';

const greet = defineJob('greet');

const applications = new NestApplications();
afterEach(() => applications.close());

describe('forRootAsync of a named data source', () => {
  let reports: TestDatabase;
  beforeAll(async () => {
    reports = await createDatabase('sqlite');
  });
  afterAll(() => reports.drop());

  /** What @nestjs/config is to an application. */
  @Injectable()
  class Config {
    readonly maxPayloadBytes = 1234;
  }
  @Module({ providers: [Config], exports: [Config] })
  class ConfigModule {}
  @Injectable()
  class QueueConfig implements TableQueueModuleOptionsFactory {
    constructor(private readonly config: Config) {}

    createTableQueueOptions(): TableQueueModuleOptions {
      return { maxPayloadBytes: this.config.maxPayloadBytes };
    }
  }
  @Module({ imports: [ConfigModule], providers: [QueueConfig], exports: [QueueConfig] })
  class QueueConfigModule {}

  const extras = { dataSource: 'reports', databaseType: 'better-sqlite3' } as const;
  const factory = {
    imports: [ConfigModule],
    inject: [Config],
    useFactory: ({ maxPayloadBytes }: Config) => ({ maxPayloadBytes }),
  };
  test.each([
    ['useFactory', () => TableQueueModule.forRootAsync({ ...extras, ...factory })],
    ['useClass', () => TableQueueModule.forRootAsync({ ...extras, imports: [ConfigModule], useClass: QueueConfig })],
    [
      'useExisting',
      () => TableQueueModule.forRootAsync({ ...extras, imports: [QueueConfigModule], useExisting: QueueConfig }),
    ],
  ])('%s', async (_name, module) => {
    const app = await applications.start({ imports: [dataSourceModule(reports, 'reports'), module()] });
    expect(app.get<TableQueue>(getTableQueueToken('reports')).maxPayloadBytes).toBe(1234);
  });

  test('a codec may come from a factory, with keys of the configuration', async () => {
    const app = await applications.start({
      imports: [
        dataSourceModule(reports, 'reports'),
        TableQueueModule.forRootAsync({
          ...extras,
          imports: [ConfigModule],
          inject: [Config],
          useFactory: ({ maxPayloadBytes: key }: Config) => ({
            codec: {
              id: `key-${key}`,
              encode: (text: string) => `${key}${text}`,
              decode: (text: string) => text.slice(4),
            },
          }),
        }),
      ],
    });
    const queue = app.get<TableQueue>(getTableQueueToken('reports'));
    const { id } = await queue.enqueue(defineJob<string>('text'), 'abc');
    const { payload } = await queue.dataSource.getRepository(TableQueueJob).findOneByOrFail({ id });
    expect(payload).toBe('codec:key-1234,1234"abc"');
    expect((await queue.find(id))!.payload).toBe('abc');
  });

  test('the data source may come from a factory too', async () => {
    const named = TypeOrmModule.forRootAsync({
      name: 'reports',
      useFactory: () => ({ ...reports.options(), entities: [], autoLoadEntities: true }),
    });
    const app = await applications.start({
      imports: [TableQueueModule.forRootAsync({ ...extras, ...factory }), named],
    });
    expect(app.get<TableQueue>(getTableQueueToken('reports')).dataSource.isInitialized).toBe(true);
  });
});

describe('forRoot itself reports a wrong option', () => {
  test.each([
    [{ isGlobal: 'yes' }, InvalidOptionError, /"isGlobal" is 'yes', but must be true or false/],
    [{ dataSource: 7 }, InvalidOptionError, /"dataSource" is 7, but must be the name of a data source/],
    [{ dataSource: '' }, InvalidOptionError, /"dataSource" is ''/],
    [{ databaseType: 5 }, InvalidOptionError, /"databaseType" is 5/],
    [{ databaseType: 'postgres' }, UnsupportedDatabaseError, /"postgres"/],
    [{ prefix: null }, InvalidOptionError, /"prefix" is null/],
    [{ prefix: 'two words' }, InvalidOptionError, /"prefix" is 'two words'/],
    [{ maxPayloadBytes: 0 }, InvalidOptionError, /"maxPayloadBytes" is 0/],
    [{ codec: { id: 'a b' } }, InvalidOptionError, /"codec.id" is 'a b'/],
    [{ outsideTransaction: 'shout' }, InvalidOptionError, /"outsideTransaction" is 'shout'/],
    [{ currentManager: {} }, InvalidOptionError, /"currentManager" is \{\}/],
    [{ clock: 'now' }, InvalidOptionError, /"clock" is 'now'/],
    [{ logger: 'console' }, InvalidOptionError, /"logger" is 'console'/],
    [{ concurrency: '10' }, InvalidOptionError, /"concurrency" is '10'/],
    [{ totalConcurrency: 0 }, InvalidOptionError, /"totalConcurrency" is 0/],
    [{ lease: '10ms' }, InvalidOptionError, /"lease" is '10ms'/],
    [{ retention: { failed: {} } }, InvalidOptionError, /"retention.failed" is \{\}/],
    [{ maintenance: false }, InvalidOptionError, /"maintenance" is false/],
    [{ datasource: 'reports' }, UnknownOptionError, /no option "datasource".*dataSource/],
    [null, InvalidOptionError, /"options" is null/],
  ])('%j', (options, kind, message) => {
    const forRoot = () => TableQueueModule.forRoot(options as object);
    expect(forRoot).toThrow(kind);
    expect(forRoot).toThrow(message);
  });

  test.each<[object, RegExp]>([
    [{}, /"useFactory" is undefined, but must be given to forRootAsync, or else one of useClass and useExisting/],
    [{ useFactory: () => ({}), useClass: class {} }, /"useFactory" is \[Function: useFactory\]/],
    [{ useFactory: () => ({}), pollInterval: '1s' }, /"pollInterval" is '1s', but must be returned by the factory/],
    [{ useFactory: () => ({}), datasource: 'reports' }, /no option "datasource"/],
    [{ useFactory: () => ({}), isGlobal: 1 }, /"isGlobal" is 1/],
  ])('forRootAsync, %j', (options, message) => {
    expect(() => TableQueueModule.forRootAsync(options)).toThrow(message);
  });

  test('a wrong data source of a decorator or token', () => {
    expect(() => getTableQueueToken(7 as never)).toThrow(/"dataSource" is 7/);
    expect(() => InjectTableQueue('')).toThrow(/"dataSource" is ''/);
    const decorate = () =>
      QueueHandler(greet, { dataSource: {} as never })({ constructor: { name: 'Greeter' } }, 'greet', {});
    expect(decorate).toThrow(/"@QueueHandler of Greeter.greet.dataSource" is \{\}/);
  });
});

describe('a data source or a module that an application lacks stops its start', () => {
  let home: TestDatabase;
  beforeAll(async () => {
    home = await createDatabase('sqlite');
  });
  afterAll(() => home.drop());

  /** @returns what the start failed with. */
  function failure(metadata: ModuleMetadata, logger?: LoggerService): Promise<Error> {
    return applications.start(metadata, logger).then(
      () => new Error('it started'),
      (error: Error) => error,
    );
  }
  const bothSources = () => [dataSourceModule(home), dataSourceModule(home, 'reports')];

  test('a queue for a data source that there is not', async () => {
    const error = await failure({ imports: [...bothSources(), queueModule(home, 'reprots')] });
    expect(error).toBeInstanceOf(MissingDataSourceError);
    expect(error).toMatchObject({ dataSource: 'reprots', present: ['default', 'reports'] });
    expect(error.message).toBe(
      'TableQueueModule is for the data source "reprots", but this application has only the default data source and ' +
        'the data source "reports". Import TypeOrmModule.forRoot({ … }, \'reprots\'), or pass the right name as the option "dataSource". ' +
        'With TypeOrmModule.forRootAsync pass the name beside useFactory, not in the options it returns.' +
        seeDocs('guides/several-data-sources.md'),
    );
    const withoutAny = await failure({ imports: [queueModule(home)] });
    expect(withoutAny.message).toContain('for the default data source, but this application has none at all');
  });

  test('a handler for a data source without a queue', async () => {
    @Injectable()
    class Greeter {
      @QueueHandler(greet, { dataSource: 'reports' })
      greet(): void {}
    }
    const error = await failure({ imports: [...bothSources(), queueModule(home)], providers: [Greeter] });
    expect(error).toBeInstanceOf(MissingModuleError);
    expect(error).toMatchObject({ dataSource: 'reports', present: ['default'] });
    expect(error.message).toBe(
      'The queue handler Greeter.greet (AppModule) needs the queue of the data source "reports", but this application ' +
        "has only that of the default data source. Import TableQueueModule.forRoot({ dataSource: 'reports', … }) as well, " +
        "or name the right data source: @QueueHandler(definition, { dataSource }), @InjectTableQueue('…')." +
        seeDocs('start/quick-start-nest.md'),
    );
  });

  @Injectable()
  class Mailer {
    constructor(readonly queue: TableQueue) {}
  }
  @Injectable()
  class Reporter {
    constructor(@InjectTableQueue('reprots') readonly queue: TableQueue) {}
  }
  test.each([
    ['by its class', Mailer, 'Mailer (AppModule) needs the queue of the default data source'],
    ['by a decorator', Reporter, 'Reporter (AppModule) needs the queue of the data source "reprots"'],
    [
      'by a factory',
      { provide: Symbol('reaper'), inject: [QueueReaper], useFactory: (reaper: QueueReaper) => reaper },
      'Symbol(reaper) (AppModule) needs',
    ],
  ])(
    'a queue that is injected %s: beside the error of Nest, the log lists the existing ones',
    async (_how, provider, message) => {
      for (const imports of [
        [...bothSources(), queueModule(home, 'reports')],
        [queueModule(home, 'reports'), ...bothSources()],
      ]) {
        const lines: string[] = [];
        const note = (line: string) => void lines.push(line);
        const error = await failure({ imports, providers: [provider] }, { log: note, warn: note, error: note });
        expect(error.message).toContain("Nest can't resolve dependencies");
        const hint = await waitFor('the hint', () => lines.find((line) => line.includes(' needs the queue of ')));
        expect(hint).toContain(message);
        expect(hint).toContain('but this application has only that of the data source "reports"');
      }
    },
  );

  test('one that need not be there, or that the application provides itself, is not missed', async () => {
    @Injectable()
    class MayLack {
      constructor(@Optional() @InjectTableQueue('reprots') readonly queue?: TableQueue) {}
    }
    const stub = { enqueue: () => undefined };
    const app = await applications.start({
      imports: [...bothSources(), queueModule(home, 'reports')],
      providers: [MayLack, Mailer, { provide: TableQueue, useValue: stub }],
    });
    expect(app.get(MayLack).queue).toBeUndefined();
    expect(app.get(Mailer).queue).toBe(stub);
  });

  test('two modules for one data source', async () => {
    const error = await failure({
      imports: [...bothSources(), queueModule(home, 'reports'), queueModule(home), queueModule(home, 'reports')],
    });
    expect(error).toBeInstanceOf(DuplicateModuleError);
    expect(error).toMatchObject({ dataSource: 'reports', prefixes: ['tq_'] });
    expect(error.message).toContain('imported more than once for the data source "reports"');
  });

  test('one module that several modules import is one', async () => {
    const module = queueModule(home);
    @Module({ imports: [module] })
    class Feature {}
    const app = await applications.start({ imports: [dataSourceModule(home), module, Feature] });
    expect(app.get(TableQueue)).toBeInstanceOf(TableQueue);
  });

  // The names are other ones than above: @nestjs/typeorm keeps entities by them for the whole process.
  test('two prefixes on one data source', async () => {
    const imports = [
      dataSourceModule(home, 'prefixes'),
      queueModule(home, 'prefixes'),
      queueModule(home, 'prefixes', { prefix: 'jobs_' }),
    ];
    const error = await failure({ imports });
    expect(error).toBeInstanceOf(DuplicateModuleError);
    expect(error).toMatchObject({ dataSource: 'prefixes', prefixes: ['tq_', 'jobs_'] });
    expect(error.message).toContain('with the prefixes "tq_" and "jobs_". A data source has one queue.');
  });

  test('entities of one prefix, and a module of another', async () => {
    const entities = tableQueueEntities('better-sqlite3', { prefix: 'mine_' });
    const source = { ...home.options(), entities, autoLoadEntities: true };
    const error = await failure({
      imports: [TypeOrmModule.forRoot(source, 'entities'), queueModule(home, 'entities')],
    });
    expect(error).toBeInstanceOf(EntityError);
    expect(error.message).toContain('for several prefixes, with the tables mine_job and tq_job.');
  });
});

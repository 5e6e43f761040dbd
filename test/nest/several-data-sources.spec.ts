import 'reflect-metadata';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type INestApplicationContext,
  Inject,
  Injectable,
  type LoggerService,
  Module,
  type Provider,
} from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { getDataSourceToken } from '@nestjs/typeorm';
import {
  InjectTableQueue,
  OnQueueEvent,
  QueueEvents,
  QueueHandler,
  QueuePruner,
  QueueReaper,
  QueueRetrier,
  QueueScheduler,
  Recurring,
  type TableQueueModuleOptions,
  getTableQueueToken,
} from '@tablequeue/nestjs';
import { TableQueue, type TransactionalJobContext, defineJob, upTableQueue } from '@tablequeue/typeorm';
import { TestingClock } from '@tablequeue/typeorm/testing';
import { DataSource } from 'typeorm';

import { type TestDatabase, createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { NestApplications, dataSourceModule, queueModule } from '../support/nest-application.js';
import { Note } from '../support/note.js';
import { serverUrl } from '../support/servers.js';
import { waitFor } from '../support/wait-for.js';

const write = defineJob<{ id: number }>('note.write');
const hourly = defineJob('hourly');

const applications = new NestApplications();
afterEach(() => applications.close());

/** Writes each payload to both databases: each queue has a handler of its own for the same job. */
@Injectable()
class Notes {
  readonly received: string[] = [];

  constructor(
    @Inject(DataSource) readonly dataSource: DataSource,
    readonly queue: TableQueue,
    @InjectTableQueue() readonly sameQueue: TableQueue,
    @InjectTableQueue('reports') readonly reports: TableQueue,
    readonly retrier: QueueRetrier,
    @InjectTableQueue('reports', QueueRetrier) readonly reportsRetrier: QueueRetrier,
  ) {}

  @QueueHandler(write)
  async write({ id }: { id: number }): Promise<void> {
    await this.dataSource.getRepository(Note).insert({ id, text: 'default' });
  }

  @QueueHandler(write, { dataSource: 'reports', transactional: true })
  async writeReport({ id }: { id: number }, { manager }: TransactionalJobContext): Promise<void> {
    await manager.insert(Note, { id, text: 'reports' });
  }

  @OnQueueEvent('succeeded')
  receive(): void {
    this.received.push('default');
  }

  @OnQueueEvent('succeeded', write, { dataSource: 'reports' })
  receiveFromReports(): void {
    this.received.push('reports');
  }

  @QueueHandler(hourly, { dataSource: 'reports' })
  @Recurring({ every: '1h' })
  hourly(): void {}
}

describe.each(['default first', 'named first'])('two data sources in one application, %s', (order) => {
  let home: TestDatabase;
  let reports: TestDatabase;
  beforeAll(async () => {
    [home, reports] = await Promise.all([createDatabase('sqlite'), createDatabase('sqlite')]);
  });
  afterAll(() => Promise.all([home.drop(), reports.drop()]));

  function startBoth(options: TableQueueModuleOptions = {}, logger?: LoggerService): Promise<INestApplicationContext> {
    const sources = [dataSourceModule(home), dataSourceModule(reports, 'reports')];
    const queues = [queueModule(home, undefined, options), queueModule(reports, 'reports', options)];
    const imports = order === 'default first' ? [...sources, ...queues] : [...sources, ...queues].toReversed();
    return applications.start({ imports: [ScheduleModule.forRoot(), ...imports], providers: [Notes] }, logger);
  }

  test('each job runs where it was enqueued, by the handler for that data source', async () => {
    const app = await startBoth();
    const { queue, reports: named } = app.get(Notes);
    await queue.enqueue(write, { id: 1 });
    await named.enqueue(write, { id: 2 });
    const notes = (name?: string) => app.get<DataSource>(getDataSourceToken(name)).getRepository(Note).find();
    await waitFor('both', async () => (await notes()).length === 1 && (await notes('reports')).length === 1);
    expect(await notes()).toEqual([{ id: 1, text: 'default' }]);
    expect(await notes('reports')).toEqual([{ id: 2, text: 'reports' }]);
  });

  test('the classes are those of the default data source, tokens and decorators those of named ones', async () => {
    const app = await startBoth();
    const notes = app.get(Notes);
    expect(notes.queue.dataSource).toBe(app.get(getDataSourceToken()));
    expect(notes.reports.dataSource).toBe(app.get(getDataSourceToken('reports')));
    expect(notes.sameQueue).toBe(notes.queue);
    expect(app.get(TableQueue)).toBe(notes.queue);
    expect(app.get(getTableQueueToken())).toBe(notes.queue);
    expect(app.get(getTableQueueToken('reports'))).toBe(notes.reports);
    for (const service of [QueueReaper, QueueRetrier, QueuePruner, QueueScheduler] as const) {
      expect(app.get(service)).toBe(app.get(getTableQueueToken<object>('default', service)));
      expect(app.get(getTableQueueToken<object>('reports', service))).toBeInstanceOf(service);
      expect(app.get(getTableQueueToken<object>('reports', service))).not.toBe(app.get(service));
    }
  });

  test('services use their own data source and have their own names', async () => {
    const clock = new TestingClock();
    const app = await startBoth({ clock, maintenance: { retrier: '5h' }, pollInterval: '1h' });
    const names = ['pruner', 'reaper', 'retrier', 'scheduler'];
    expect(new Set(app.get(SchedulerRegistry).getIntervals())).toEqual(
      new Set(names.flatMap((name) => [`tablequeue:${name}`, `tablequeue:reports:${name}`])),
    );
    const { reports: named, retrier, reportsRetrier } = app.get(Notes);
    await named.enqueue(defineJob('nobody-handles-it', { queue: 'idle' }), undefined, { delay: '1m' });
    clock.advance('1m');
    expect(await retrier.runOnce()).toEqual({ promoted: 0 });
    expect(await reportsRetrier.runOnce()).toEqual({ promoted: 1 });
    await app.close();
    expect(app.get(SchedulerRegistry).getIntervals()).toEqual([]);
  });

  test('a listener gets events of its own data source only, by decorator and by QueueEvents', async () => {
    const app = await startBoth();
    const { queue, reports: named, received } = app.get(Notes);
    const seen: string[] = [];
    app.get(getTableQueueToken('reports', QueueEvents)).all.subscribe(({ type }) => seen.push(type));
    app.get(QueueEvents).all.subscribe(({ type }) => seen.push(`default ${type}`));
    await named.enqueue(write, { id: 11 });
    await waitFor('the job of the named one', () => seen.includes('drained'));
    expect(received).toEqual(['reports']);
    expect(seen.some((type) => type.startsWith('default'))).toBe(false);
    await queue.enqueue(write, { id: 11 });
    await waitFor('that of the default one', () => seen.includes('default succeeded'));
    expect(received).toEqual(['reports', 'default']);
  });

  test('@Recurring goes with its handler', async () => {
    const { queue, reports: named } = (await startBoth()).get(Notes);
    expect(await queue.recurring.list()).toEqual([]);
    expect(await named.recurring.list()).toEqual([expect.objectContaining({ name: 'hourly', definedBy: 'code' })]);
  });

  test('logs name the queue', async () => {
    const lines: string[] = [];
    const note = (message: string, ...rest: unknown[]) => lines.push(`[${String(rest.at(-1))}] ${message}`);
    await startBoth({}, { log: note, warn: note, error: note });
    const queue = 'of queue "default" is handled by';
    expect(lines).toContain(`[TableQueue] Job "note.write" ${queue} Notes.write (AppModule)`);
    expect(lines).toContain(`[TableQueue:reports] Job "note.write" ${queue} Notes.writeReport (AppModule)`);
  });

  test('two such applications in one process do not see each other', async () => {
    const [one, other] = await Promise.all([startBoth(), startBoth()]);
    expect(one.get(TableQueue)).not.toBe(other.get(TableQueue));
    expect(one.get(Notes).reports).not.toBe(other.get(Notes).reports);
  });
});

describe('a named data source', () => {
  let home: TestDatabase;
  let reports: TestDatabase;
  beforeAll(async () => {
    [home, reports] = await Promise.all([createDatabase('sqlite'), createDatabase('sqlite')]);
  });
  afterAll(() => Promise.all([home.drop(), reports.drop()]));

  test('may be the only one that has a queue', async () => {
    @Injectable()
    class Reports {
      constructor(@InjectTableQueue('reports') readonly queue: TableQueue) {}
    }
    const app = await applications.start({
      imports: [dataSourceModule(home), dataSourceModule(reports, 'reports'), queueModule(reports, 'reports')],
      providers: [Reports],
    });
    expect(app.get(Reports).queue.dataSource).toBe(app.get(getDataSourceToken('reports')));
    expect(() => app.get(TableQueue)).toThrow('could not find TableQueue');
  });

  test('without isGlobal its queue is for the modules that import it', async () => {
    const module = queueModule(reports, 'reports', { isGlobal: false });
    @Injectable()
    class Reports {
      constructor(@InjectTableQueue('reports') readonly queue: TableQueue) {}
    }
    @Module({ imports: [module], providers: [Reports] })
    class ReportsModule {}
    const imports = [dataSourceModule(reports, 'reports'), module];
    const app = await applications.start({ imports: [...imports, ReportsModule] });
    expect(app.get(Reports).queue).toBe(app.get(getTableQueueToken('reports')));

    @Module({ providers: [Reports] })
    class WithoutImport {}
    await expect(applications.start({ imports: [...imports, WithoutImport] })).rejects.toThrow(
      '"reportsTableQueue" at index [0]',
    );
  });

  test('a second prefix in one database needs a second data source', async () => {
    const dataSource = await home.connect();
    await upTableQueue(dataSource.createQueryRunner(), { prefix: 'slow_' });
    await dataSource.destroy();
    @Injectable()
    class Slow {
      readonly ran: string[] = [];

      @QueueHandler(hourly)
      fast(): void {
        this.ran.push('fast');
      }

      @QueueHandler(hourly, { dataSource: 'slow' })
      slow(): void {
        this.ran.push('slow');
      }
    }
    const app = await applications.start({
      imports: [
        ScheduleModule.forRoot(),
        dataSourceModule(home),
        dataSourceModule(home, 'slow'),
        queueModule(home),
        queueModule(home, 'slow', { prefix: 'slow_' }),
      ],
      providers: [Slow],
    });
    await app.get<TableQueue>(getTableQueueToken('slow')).enqueue(hourly);
    await waitFor('the slow one', () => app.get(Slow).ran.length === 1);
    await app.get(TableQueue).enqueue(hourly);
    await waitFor('the fast one', () => app.get(Slow).ran.length === 2);
    expect(app.get(Slow).ran).toEqual(['slow', 'fast']);
  });
});

describeEach(
  'data sources of different kinds',
  (engine) => {
    const databases: TestDatabase[] = [];
    afterAll(() => Promise.all(databases.map((database) => database.drop())));

    // Together with the other server if this run has one.
    const servers = serverUrl('mariadb') ? ([engine, 'mariadb'] as const) : [engine];

    test(`SQLite beside ${servers.join(' and ')}`, async () => {
      // @nestjs/typeorm keeps entities by the data source's name: the default one is SQLite in all of this file.
      const names = [undefined, ...servers];
      const written: Provider[] = names.map((dataSource) => {
        @Injectable()
        class Writer {
          @QueueHandler(write, { dataSource, transactional: true })
          async write({ id }: { id: number }, { manager }: TransactionalJobContext): Promise<void> {
            await manager.insert(Note, { id, text: dataSource ?? 'default' });
          }
        }
        return Writer;
      });
      const imports = [];
      for (const name of names) {
        const database = await createDatabase(name ?? 'sqlite');
        databases.push(database);
        imports.push(dataSourceModule(database, name), queueModule(database, name));
      }
      const app = await applications.start({ imports: [ScheduleModule.forRoot(), ...imports], providers: written });
      for (const [id, name] of names.entries()) {
        await app.get<TableQueue>(getTableQueueToken(name)).enqueue(write, { id });
      }
      for (const [id, name] of names.entries()) {
        const notes = app.get<DataSource>(getDataSourceToken(name)).getRepository(Note);
        const found = await waitFor(`the note of ${name}`, async () => (await notes.find())[0]);
        expect(found).toEqual({ id, text: name ?? 'default' });
        expect(await notes.count()).toBe(1);
      }
    });
  },
  ['mysql'],
);

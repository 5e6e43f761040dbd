import 'reflect-metadata';

import { afterEach, expect, test } from '@jest/globals';
import { type DynamicModule, type INestApplicationContext, Injectable, Module, type Type } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  QueueHandler,
  QueuePruner,
  QueueReaper,
  QueueRetrier,
  QueueScheduler,
  Recurring,
  TableQueueModule,
} from '@tablequeue/nestjs';
import { type JobContext, type QueueDatabaseType, TableQueue } from '@tablequeue/typeorm';
import { TestingClock } from '@tablequeue/typeorm/testing';
import { DataSource } from 'typeorm';

import { DATABASE_TYPES } from '../support/connection-options.js';
import type { Engine } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { Note, NoteSchema } from '../support/note.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';
import { Notes, hold, keepNote, moveNote } from './module.fixture.js';

describeEach('TableQueueModule', moduleSuite, ['sqlite', 'mariadb']);

function moduleSuite(engine: Engine): void {
  const databaseType: QueueDatabaseType = DATABASE_TYPES[engine];
  const clock = new TestingClock();
  let app: INestApplicationContext | undefined;
  const database = useDatabase(engine);
  afterEach(async () => {
    app?.get(Notes).letGo();
    await app?.close();
    app = undefined;
    const dataSource = await database.connect();
    for (const table of ['tq_job', 'tq_key', 'note', 'tq_maintenance', 'tq_schedule']) {
      await dataSource.query(`DELETE FROM ${table}`);
    }
    await dataSource.destroy();
  });

  async function start(queueModule: DynamicModule, providers: Type[] = [Notes]): Promise<INestApplicationContext> {
    @Module({
      imports: [
        ScheduleModule.forRoot(),
        TypeOrmModule.forRoot({ ...database.options(), entities: [NoteSchema], autoLoadEntities: true }),
        queueModule,
      ],
      providers,
    })
    class AppModule {}
    const testing = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = testing.createNestApplication();
    return (app as ReturnType<typeof testing.createNestApplication>).init();
  }

  test('a decorated method handles the jobs that a transaction has committed', async () => {
    await start(TableQueueModule.forRoot({ databaseType, pollInterval: '20ms' }));
    const notes = app!.get(Notes);
    await notes.order(1, 'hello');
    const repository = app!.get(DataSource).getRepository(Note);
    await waitFor('the note', () => repository.findOneBy({ id: 1 }).then((note) => note ?? undefined));
    expect(notes.runs[0]).toMatchObject({ name: 'note.keep', attempt: 1 });
  });

  test('a transactional method writes and ends its job in one transaction', async () => {
    await start(TableQueueModule.forRoot({ databaseType, pollInterval: '20ms' }));
    const queue = app!.get(TableQueue);
    app!.get(Notes).failing.add(11);
    const failing = await queue.enqueue(moveNote, { id: 11, text: 'rolled back' });
    const kept = await queue.enqueue(moveNote, { id: 12, text: 'kept' });
    await waitFor('both have ended', async () => {
      const states = await Promise.all([failing, kept].map(async ({ id }) => (await queue.find(id))?.state));
      return states.join() === 'failed,succeeded';
    });
    const left = await app!.get(DataSource).getRepository(Note).find();
    expect(left.map(({ id }) => id)).toEqual([12]);
  });

  test('options may come from a factory', async () => {
    await start(
      TableQueueModule.forRootAsync({
        databaseType,
        useFactory: async () => ({
          pollInterval: '20ms' as const,
          queues: { default: { concurrency: 2, limits: { concurrency: 7 } } },
        }),
      }),
    );
    await app!.get(Notes).order(2, 'hello');
    await waitFor('the run', () => app!.get(Notes).runs.length === 1);
    expect(await app!.get(TableQueue).control.list()).toMatchObject([{ queue: 'default', concurrency: 7 }]);
  });

  test('the scheduled services are in the registry, retry what failed, and end with the application', async () => {
    await start(TableQueueModule.forRoot({ databaseType, clock, maintenance: { retrier: '20ms', reaper: '20ms' } }));
    const registry = app!.get(SchedulerRegistry);
    expect(registry.getIntervals().sort()).toEqual([
      'tablequeue:pruner',
      'tablequeue:reaper',
      'tablequeue:retrier',
      'tablequeue:scheduler',
    ]);
    const notes = app!.get(Notes);
    notes.failing.add(3);
    await notes.order(3, 'second time');
    await waitFor('the failure', () => notes.runs.length === 1);
    await waitFor('it is stored', async () => {
      const waiting = await app!.get(DataSource).query("SELECT 1 FROM tq_job WHERE state = 'scheduled'");
      return (waiting as unknown[]).length === 1;
    });
    clock.advance('5s');
    await waitFor('the retry', () => notes.runs.length === 2);
    await app!.close();
    expect(registry.getIntervals()).toEqual([]);
  });

  test('runOnce does the work at once, on any worker', async () => {
    const hours = { retrier: '5h', reaper: '5h' } as const;
    await start(TableQueueModule.forRoot({ databaseType, clock, maintenance: hours, pollInterval: '1h' }));
    await app!.get(TableQueue).enqueue(keepNote, { id: 4, text: 'later' }, { delay: '5s' });
    clock.advance('5s');
    expect(await app!.get(QueueRetrier).runOnce()).toEqual({ promoted: 1 });
    await app!.get(TableQueue).enqueue(keepNote, { id: 5, text: 'lost' }, { delay: '5s' });
    await app!
      .get(DataSource)
      .query("UPDATE tq_job SET state = 'running', owner = 77, lane = 77 WHERE state = 'scheduled'");
    expect((await app!.get(QueueReaper).runOnce()).returned).toBe(1);
    await waitFor('both have run', () => app!.get(Notes).runs.length === 2);
  });

  test('finished jobs are kept as the options define', async () => {
    await start(TableQueueModule.forRoot({ databaseType, clock, retention: { succeeded: { age: '1h' } } }));
    await app!.get(Notes).order(8, 'soon forgotten');
    const finished = () =>
      app!.get(DataSource).query('SELECT 1 FROM tq_job WHERE finished_at > 0') as Promise<unknown[]>;
    await waitFor('it has finished', async () => (await finished()).length === 1);
    expect(await app!.get(QueuePruner).runOnce()).toEqual({ deleted: 0 });
    clock.advance('61m');
    expect(await app!.get(QueuePruner).runOnce()).toEqual({ deleted: 1 });
    expect(await finished()).toEqual([]);
  });

  test('a decorated method recurs, as often as it declares, in all processes together', async () => {
    const ran: JobContext[] = [];
    @Injectable()
    class Reports {
      @QueueHandler(hold)
      @Recurring({ cron: '0 3 * * *', timeZone: 'Europe/Berlin' })
      nightly(): void {}

      @Recurring('note:hourly', { every: '1h', payload: { id: 1, text: 'hourly' }, key: 'hourly' })
      @Recurring('note:often', { every: '1s', payload: { id: 2, text: 'often' } })
      @QueueHandler(keepNote)
      keep(_payload: { id: number; text: string }, job: JobContext): void {
        ran.push(job);
      }
    }
    const dataSource = await database.connect();
    const { recurring } = new TableQueue(dataSource);
    await recurring.define('gone', hold, undefined, { every: '1d' }, 'code');
    await start(TableQueueModule.forRoot({ databaseType, clock }), [Reports]);
    expect(await recurring.list()).toEqual([
      expect.objectContaining({ name: 'gone' }),
      expect.objectContaining({ name: 'hold', job: 'hold', cron: '0 3 * * *', definedBy: 'code' }),
      expect.objectContaining({ name: 'note:hourly', every: 3_600_000, payload: { id: 1, text: 'hourly' } }),
      expect.objectContaining({ name: 'note:often', every: 1000 }),
    ]);
    await waitFor('two ticks', () => ran.length >= 2);
    expect((ran[1]!.runAt.getTime() - ran[0]!.runAt.getTime()) % 1000).toBe(0);

    // One that is due at some hour, by a clock that has been moved, may be fired just now.
    await Promise.all(['note:often', 'hold'].map((name) => recurring.pause(name)));
    clock.advance('1h');
    // The application's own scheduler may be about to fire it too.
    const hourly = await waitFor('the hourly one', async () => {
      await app!.get(QueueScheduler).runOnce();
      const found = await app!.get(TableQueue).findByKey('hourly');
      return found.length > 0 && found;
    });
    expect(hourly).toHaveLength(1);
    const before = await recurring.list();
    await app!.close();
    // Another start finds them as they are.
    await start(TableQueueModule.forRoot({ databaseType, clock }), [Reports]);
    expect(await recurring.list()).toEqual(before);
    await app!.close();
    app = undefined;
    await dataSource.destroy();
  });

  test('nothing runs before the application is ready', async () => {
    const order: string[] = [];
    @Injectable()
    class Slow {
      async onModuleInit(): Promise<void> {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('initialized');
      }

      @QueueHandler(keepNote)
      keep(): void {
        order.push('ran');
      }
    }
    const dataSource = await database.connect();
    await new TableQueue(dataSource).enqueue(keepNote, { id: 6, text: 'waiting' });
    await dataSource.destroy();
    await start(TableQueueModule.forRoot({ databaseType }), [Slow]);
    await waitFor('it runs', () => order.includes('ran'));
    expect(order).toEqual(['initialized', 'ran']);
    await app!.close();
    app = undefined;
  });

  test('closing waits for handlers, which may enqueue until the end; closing twice is harmless', async () => {
    await start(TableQueueModule.forRoot({ databaseType }));
    const notes = app!.get(Notes);
    const { id } = await app!.get(TableQueue).enqueue(hold);
    await waitFor('it runs', () => notes.held === 1);
    const closed = app!.close();
    notes.letGo();
    await closed;
    await app!.close();
    app = undefined;

    const dataSource = await database.connect();
    const queue = new TableQueue(dataSource);
    expect((await queue.find(id))?.state).toBe('succeeded');
    // Ready, or done already: what matters is that it is there.
    expect(await queue.findByKey('from-a-handler')).toHaveLength(1);
    expect(await dataSource.query('SELECT 1 FROM tq_worker')).toHaveLength(0);
    await dataSource.destroy();
  });

  test('a process without handlers only enqueues, and needs no scheduler', async () => {
    @Module({
      imports: [
        TypeOrmModule.forRoot({ ...database.options(), entities: [], autoLoadEntities: true }),
        TableQueueModule.forRoot({ databaseType }),
      ],
    })
    class ProducerModule {}
    const producer = (await Test.createTestingModule({ imports: [ProducerModule] }).compile()).createNestApplication();
    await producer.init();
    const { id } = await producer.get(TableQueue).enqueue(keepNote, { id: 7, text: 'for another process' });
    expect((await producer.get(TableQueue).find(id))?.state).toBe('ready');
    expect(await producer.get(DataSource).query('SELECT 1 FROM tq_worker')).toHaveLength(0);
    await producer.close();
  });
}

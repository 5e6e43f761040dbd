import 'reflect-metadata';

import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type DynamicModule, type INestApplication, Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  QueueEvents,
  QueueHandler,
  QueueScheduler,
  TableQueueModule,
  type TableQueueModuleOptions,
} from '@tablequeue/nestjs';
import { type JobContext, TableQueue, defineJob } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

const greet = defineJob<string>('greet');
const hold = defineJob('hold');

/** What has happened, in order. */
let events: string[];

@Injectable()
class Handlers {
  readonly held: { job: JobContext; end: () => void; fail: (error: Error) => void }[] = [];

  @QueueHandler(greet)
  greet(name: string): void {
    events.push(`greets ${name}`);
  }

  @QueueHandler(hold)
  hold(_payload: void, job: JobContext): Promise<void> {
    return new Promise((end, fail) => this.held.push({ job, end, fail }));
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

// @nestjs/typeorm keeps its automatically loaded entities for the whole process: one engine to a file.
describeEach(
  'the life of an application',
  (engine) => {
    let outside: TableQueue;
    let outsideSource: DataSource;
    const open: { close(): Promise<void> }[] = [];
    const database = useDatabase(engine);
    beforeAll(async () => {
      outsideSource = await database.connect();
      outside = new TableQueue(outsideSource);
    });
    beforeEach(() => {
      events = [];
    });
    afterEach(async () => {
      await Promise.all(open.splice(0).map((app) => app.close()));
      for (const table of ['tq_job', 'tq_worker']) {
        await outsideSource.query(`DELETE FROM ${table}`);
      }
    });

    const workers = () => outsideSource.query('SELECT 1 FROM tq_worker') as Promise<unknown[]>;

    /** The root module of an application with `Handlers`. */
    function rootModule(options: TableQueueModuleOptions = {}, others: Type[] = [], on = database): DynamicModule {
      class Root {}
      Module({})(Root);
      return {
        module: Root,
        imports: [
          ScheduleModule.forRoot(),
          TypeOrmModule.forRoot({ ...on.options(), entities: [], autoLoadEntities: true }),
          TableQueueModule.forRoot({ databaseType: 'better-sqlite3', pollInterval: '20ms', ...options }),
        ],
        providers: [Handlers, ...others],
      };
    }

    async function application(module: DynamicModule): Promise<INestApplication> {
      const testing = await Test.createTestingModule({ imports: [module] }).compile();
      const app = testing.createNestApplication();
      open.push(app);
      return app;
    }

    test('no job is run before the last bootstrap hook of the root module is through', async () => {
      let ready: (() => void) | undefined;
      @Injectable()
      class Slow {
        async onApplicationBootstrap(): Promise<void> {
          await new Promise<void>((resolve) => (ready = resolve));
          events.push('is ready');
        }
      }
      await outside.enqueue(greet, 'Ada');
      const app = await application(rootModule({}, [Slow]));
      const initialized = app.init();
      await waitFor('the hook is called', () => ready);
      expect(await workers()).toHaveLength(0);
      await app.get(TableQueue).enqueue(greet, 'Bob');
      ready!();
      await initialized;
      await waitFor('both have run', () => events.length === 3);
      expect(events).toEqual(['is ready', 'greets Ada', 'greets Bob']);
    });

    test('where another module cannot start nothing is started', async () => {
      @Injectable()
      class Failing {
        onApplicationBootstrap(): void {
          throw new Error('no');
        }
      }
      await outside.enqueue(greet, 'Ada');
      const app = await application(rootModule({}, [Failing]));
      await expect(app.init()).rejects.toThrow('no');
      expect(app.get(SchedulerRegistry).getIntervals()).toEqual([]);
      expect(await workers()).toHaveLength(0);
      await app.close();
      expect(events).toEqual([]);
    });

    test('a queue that fails to start leaves no worker and no interval', async () => {
      const app = await application(rootModule());
      // The last thing it does.
      app.get(QueueScheduler).start = () => {
        throw new Error('no interval is free');
      };
      await expect(app.init()).rejects.toThrow('no interval is free');
      expect(await workers()).toHaveLength(0);
      expect(app.get(SchedulerRegistry).getIntervals()).toEqual([]);
    });

    test('a worker starts although the stored schedules cannot be read', async () => {
      const app = await application(rootModule());
      app.get(TableQueue).recurring.list = () => Promise.reject(new Error('connection lost'));
      await app.init();
      await outside.enqueue(greet, 'ada');
      await waitFor('it works', () => events.includes('greets ada'));
    });

    test('a handler that ignores the stop is abandoned at the deadline, and its job returned, not failed', async () => {
      const app = await application(rootModule({ shutdownTimeout: 50 }));
      await app.init();
      const handlers = app.get(Handlers);
      const { id } = await outside.enqueue(hold);
      await waitFor('it runs', () => handlers.held.length === 1);
      const returned: unknown[] = [];
      app
        .get(QueueEvents)
        .of('returned')
        .subscribe(({ job }) => void returned.push(job.id));
      await app.close();
      expect(returned).toEqual([id]);
      expect(handlers.held[0]!.job.signal.aborted).toBe(true);
      expect(await outside.find(id)).toMatchObject({ state: 'ready', attempt: 1, failures: 0 });
      expect(await workers()).toHaveLength(0);
      handlers.held[0]!.fail(new Error('far too late'));
      await nextTurn();
      expect(await outside.find(id)).toMatchObject({ state: 'ready', failures: 0 });
    });

    test('providers are destroyed after the handlers end; enqueueing works until the data source closes', async () => {
      const ids: string[] = [];
      @Injectable()
      class Client {
        constructor(private readonly queue: TableQueue) {}

        async onModuleDestroy(): Promise<void> {
          events.push('client closes');
          ids.push((await this.queue.enqueue(greet, 'in onModuleDestroy')).id);
        }

        async beforeApplicationShutdown(): Promise<void> {
          ids.push((await this.queue.enqueue(greet, 'in beforeApplicationShutdown')).id);
        }

        async onApplicationShutdown(): Promise<void> {
          ids.push((await this.queue.enqueue(greet, 'in onApplicationShutdown')).id);
        }
      }
      const app = await application(rootModule({}, [Client]));
      await app.init();
      await outside.enqueue(hold);
      const handlers = app.get(Handlers);
      await waitFor('it runs', () => handlers.held.length === 1);
      const closed = app.close();
      const waiting = await outside.enqueue(greet, 'not claimed any more');
      await nextTurn();
      events.push('job ends');
      handlers.held[0]!.end();
      await closed;
      // Its own hooks would be called again.
      open.pop();
      expect(events).toEqual(['job ends', 'client closes']);
      const states = await Promise.all([waiting.id, ...ids].map(async (id) => (await outside.find(id))?.state));
      expect(states).toEqual(['ready', 'ready', 'ready', 'ready']);
    });

    test('closing again is harmless, meanwhile, afterwards, and before it has started', async () => {
      const app = await application(rootModule());
      await app.init();
      await Promise.all([app.close(), app.close()]);
      await app.close();
      expect(await workers()).toHaveLength(0);

      const early = await application(rootModule());
      await early.close();

      // For Nest itself it is not: it closes the data source under its own feet.
      const starting = await application(rootModule());
      const started = starting.init().catch(() => undefined);
      await starting.close();
      await started;
      expect(await workers()).toHaveLength(0);
      expect(starting.get(SchedulerRegistry).getIntervals()).toEqual([]);
    });

    test('a worker that is asked to stop ends, and the application goes on', async () => {
      const app = await application(rootModule({ lease: '6s' }));
      await app.init();
      let hasEnded = false;
      app.get(QueueEvents).all.subscribe({ complete: () => (hasEnded = true) });
      const [worker] = await outside.activity.workers();
      await outside.control.stopWorker(worker!.id);
      await waitFor('it has ended', () => hasEnded);
      expect(await workers()).toHaveLength(0);
      expect(app.get(SchedulerRegistry).getIntervals()).toEqual([]);
      const { id } = await app.get(TableQueue).enqueue(greet, 'Ada');
      expect((await outside.find(id))?.state).toBe('ready');
    });

    test('two applications in one process do not see each other', async () => {
      const other = await createDatabase(engine);
      const [one, two] = [
        await application(rootModule()),
        await application(rootModule({ shutdownTimeout: 50 }, [], other)),
      ];
      await Promise.all([one.init(), two.init()]);
      const seen: string[] = [];
      one
        .get(QueueEvents)
        .all.subscribe({ next: ({ type }) => seen.push(`one: ${type}`), complete: () => seen.push('end') });
      const ofTwo: string[] = [];
      two
        .get(QueueEvents)
        .of('started')
        .subscribe(({ job }) => void ofTwo.push(job.name));
      await two.get(TableQueue).enqueue(hold);
      await waitFor('it runs', () => two.get(Handlers).held.length === 1);
      expect([one.get(Handlers).held, seen, ofTwo]).toEqual([[], [], ['hold']]);
      await one.close();
      expect(seen).toEqual(['end']);
      await two.get(TableQueue).enqueue(greet, 'the other');
      await waitFor('it has run', () => events.length === 1);
      await two.close();
      await other.drop();
    });

    test('without an HTTP server it is the same', async () => {
      const app = await NestFactory.createApplicationContext(rootModule(), { logger: ['error'] });
      open.push(app);
      await app.get(TableQueue).enqueue(greet, 'Ada');
      await waitFor('it has run', () => events.length === 1);
      await app.close();
      expect(await workers()).toHaveLength(0);
    });
  },
  ['sqlite'],
);

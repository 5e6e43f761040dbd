import 'reflect-metadata';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type INestApplication, Injectable, Module, type Provider, Scope } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OnQueueEvent, QueueEvents, QueueReaper, TableQueueModule, UnsupportedListenerError } from '@tablequeue/nestjs';
import { TableQueue } from '@tablequeue/typeorm';
import { filter, firstValueFrom, map, merge, share, take } from 'rxjs';
import { DataSource } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';
import { type Deed, Deeds, Journal, act, other, received } from './events.fixture.js';

// @nestjs/typeorm keeps its automatically loaded entities for the whole process: one engine to a file.
describeEach(
  'events in an application',
  (engine) => {
    let app: INestApplication;
    const logger = new RecordingLogger();
    const database = useDatabase(engine);
    beforeEach(() => {
      received.length = 0;
      logger.lines.length = 0;
    });
    afterEach(() => app.close());

    async function make(...listeners: Provider[]): Promise<INestApplication> {
      @Module({
        imports: [
          ScheduleModule.forRoot(),
          TypeOrmModule.forRoot({ ...database.options(), entities: [], autoLoadEntities: true }),
          TableQueueModule.forRoot({
            databaseType: 'better-sqlite3',
            pollInterval: '20ms',
            maintenance: { reaper: '5h' },
          }),
        ],
        providers: [Deeds, ...listeners],
      })
      class AppModule {}
      const testing = await Test.createTestingModule({ imports: [AppModule] })
        .setLogger(logger)
        .compile();
      app = testing.createNestApplication();
      return app;
    }

    const enqueue = (deed: Deed) => app.get(TableQueue).enqueue(act, deed);
    const logged = (text: string) => logger.lines.filter((line) => line.includes(text)).length;

    test('come to decorated methods: each by its name, and by a definition or a queue', async () => {
      await (await make(Journal)).init();
      await app.get(TableQueue).enqueue(other);
      await waitFor('the other has started', () => received.length === 1);
      const untilDrained = async () => {
        await waitFor('the queue is drained', () => received.at(-1) === 'drained deeds');
        received.push('');
      };
      for (const deed of ['succeed', 'fail', 'retry'] as const) {
        await enqueue(deed);
        await untilDrained();
      }
      const { id } = await enqueue('snooze');
      await untilDrained();
      await app.get(TableQueue).jobs.runNow(id);
      await untilDrained();
      const [started, drained] = ['deeds: act started, true', 'drained deeds'];
      expect(received).toEqual(
        [
          ['others: other started, true', started, 'act succeeded', drained, ''],
          [started, 'failed: never', drained, ''],
          [started, 'retried in 0: not now', started, 'act succeeded', drained, ''],
          [started, 'snoozed for 3600000', drained, ''],
          [started, 'act succeeded', drained, ''],
        ].flat(),
      );
    });

    test('report cancelled jobs, and jobs freed from a dead worker', async () => {
      await (await make(Journal)).init();
      const { id } = await enqueue('wait');
      await waitFor('it runs', () => app.get(Deeds).began.has(id));
      await app.get(TableQueue).cancel(id);
      await waitFor('it is cancelled', () => received.includes('act cancelled'));
      await app.get(TableQueue).enqueue<Deed, Deed>(act, 'succeed', { delay: '1h' });
      await app
        .get(DataSource)
        .query("UPDATE tq_job SET state = 'running', owner = 77, lane = 77, attempt = 1 WHERE finished_at = 0");
      expect(await app.get(QueueReaper).runOnce()).toMatchObject({ returned: 1 });
      await waitFor('it has succeeded', () => received.includes('act succeeded'));
      expect(received).toContain('act stalled');
    });

    test('come as observables, from before the start to the end of the worker', async () => {
      await make();
      const events = app.get(QueueEvents);
      const all: string[] = [];
      const some: string[] = [];
      events.all.subscribe({
        next: ({ type, queue }) => all.push(`${queue} ${type}`),
        complete: () => all.push('end'),
      });
      const unsubscribed = events.of('started').subscribe(() => some.push('never'));
      unsubscribed.unsubscribe();
      const failed = firstValueFrom(events.of('failed', 'cancelled'));
      await app.init();
      const { id } = await enqueue('fail');
      const event = await failed;
      expect(event).toMatchObject({ type: 'failed', queue: 'deeds', job: { id, attempt: 1 } });
      expect(event.type === 'failed' && event.error.message).toBe('never');
      await waitFor('it is drained', () => all.length === 3);
      await app.close();
      expect(all).toEqual(['deeds started', 'deeds failed', 'deeds drained', 'end']);
      expect(some).toEqual([]);
      let hasCompleted = false;
      events.all.subscribe({ complete: () => (hasCompleted = true) });
      expect(hasCompleted).toBe(true);
      expect(() => events.of()).toThrow(/"events" is \[\], but must be at least one name/);
      expect(() => events.of('fallen' as 'failed')).toThrow(
        /"event" is 'fallen', but must be one of started, succeeded/,
      );
    });

    test('a listener that fails touches neither the job nor the process, and is named', async () => {
      @Injectable()
      class Broken {
        @OnQueueEvent('started')
        synchronous(): void {
          throw new Error('sync');
        }

        @OnQueueEvent('succeeded')
        async asynchronous(): Promise<void> {
          throw new Error('async');
        }
      }
      await (await make(Broken, Journal)).init();
      const { id } = await enqueue('succeed');
      await waitFor('the others are notified', () => received.includes('drained deeds'));
      expect(await app.get(TableQueue).find(id)).toMatchObject({ state: 'succeeded', attempt: 1 });
      expect(logged('The listener Broken.synchronous (AppModule) of "started" failed: sync')).toBe(1);
      expect(logged('The listener Broken.asynchronous (AppModule) of "succeeded" failed: async')).toBe(1);
    });

    test('an observer that throws, after any operators, does not either', async () => {
      await (await make()).init();
      const events = app.get(QueueEvents);
      // RxJS would rethrow their errors where no code can catch them, and Jest, as Node, would end.
      const fail = (error: string) => () => {
        throw new Error(error);
      };
      const started = events.of('started');
      started.subscribe(fail('in next'));
      started.subscribe({ next: fail('in an observer') });
      const asynchronous = async () => fail('asynchronously')();
      // oxlint-disable-next-line typescript/no-misused-promises -- the test covers users who do this
      started.subscribe(asynchronous);
      started
        .pipe(
          filter(({ queue }) => queue === 'deeds'),
          share(),
        )
        .subscribe(fail('behind share'));
      started.pipe(map(fail('in an operator'))).subscribe(() => undefined);
      started.pipe(take(1)).subscribe({ complete: fail('in complete') });
      started.pipe(map(fail('to its own'))).subscribe({ error: fail('in error') });
      const handled: string[] = [];
      started.pipe(map(fail('taken'))).subscribe({ error: (error: Error) => handled.push(error.message) });
      let count = 0;
      merge(started, events.of('succeeded')).subscribe(() => count++);
      await enqueue('succeed');
      await waitFor('it has succeeded', () => count === 2);
      const texts = ['next', 'an observer', 'an operator', 'complete', 'error'].map((text) => `in ${text}`);
      for (const text of [...texts, 'asynchronously', 'behind share']) {
        await waitFor(text, () => logged(`An observer of queue events failed: ${text}`) === 1);
      }
      expect(handled).toEqual(['taken']);
      expect(logged('An observer')).toBe(7);
      // What has failed in next goes on; only an error of an operator ends it.
      await enqueue('succeed');
      await waitFor('it has succeeded', () => count === 4);
      expect(logged('An observer of queue events failed: in next')).toBe(2);
    });

    test('a worker emits no event without a listener', async () => {
      await (await make()).init();
      const { source } = app.get(QueueEvents)['hub'] as { source: { listenerCount(name: string): number } };
      expect(source.listenerCount('succeeded')).toBe(0);
      const subscription = app.get(QueueEvents).of('succeeded').subscribe();
      expect(source.listenerCount('succeeded')).toBe(1);
      subscription.unsubscribe();
      expect(source.listenerCount('succeeded')).toBe(0);
    });

    test.each([Scope.REQUEST, Scope.TRANSIENT])(
      'a listener in a provider of scope %p stops the start',
      async (scope) => {
        @Injectable({ scope })
        class Scoped {
          @OnQueueEvent('failed')
          failed(): void {}
        }
        await make(Scoped);
        const error = await app.init().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(UnsupportedListenerError);
        expect((error as Error).message).toContain('Scoped.failed (AppModule)');
      },
    );

    test('an object that is provided twice listens once', async () => {
      let calls = 0;
      @Injectable()
      class Counter {
        @OnQueueEvent('succeeded')
        succeeded(): void {
          calls++;
        }
      }
      await make(Counter, { provide: 'counter', useFactory: (counter: Counter) => counter, inject: [Counter] });
      await app.init();
      const isEmpty = firstValueFrom(app.get(QueueEvents).of('drained'));
      await enqueue('succeed');
      await isEmpty;
      expect(calls).toBe(1);
    });
  },
  ['sqlite'],
);

import 'reflect-metadata';

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Controller, Get, type INestApplication, Injectable, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { QueueHandler, TableQueueModule } from '@tablequeue/nestjs';
import { TableQueueHealthIndicator } from '@tablequeue/nestjs/health';
import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { TestingClock } from '@tablequeue/typeorm/testing';
import { FaultProxy } from '@tablequeue/verify/internal';
import { DataSource } from 'typeorm';

import { DATABASE_TYPES, connectionOptions } from '../support/connection-options.js';
import { describeEach } from '../support/each-engine.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });
const other = defineJob('other', { queue: 'other' });

@Injectable()
class Mailer {
  @QueueHandler(mail)
  send(): void {}
}

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly queue: TableQueueHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.queue.isHealthy('queue', { maxBacklogAge: '5m', timeout: '2s' })]);
  }
}

interface Answer {
  readonly status: number;
  readonly queue: Readonly<Record<string, unknown>>;
}

describeEach(
  'the health indicator over HTTP',
  (engine) => {
    const databaseType = DATABASE_TYPES[engine];
    const clock = new TestingClock();
    let proxy: FaultProxy | undefined;
    let app: INestApplication;
    afterAll(async () => {
      await app.close();
      await proxy?.close();
    });
    const database = useDatabase(engine);
    beforeAll(async () => {
      let { url } = database;
      if (engine !== 'sqlite') {
        proxy = new FaultProxy(new URL(url));
        await proxy.open();
        url = proxy.url;
      }
      @Module({
        imports: [
          ScheduleModule.forRoot(),
          TypeOrmModule.forRoot(connectionOptions(engine, url)),
          TableQueueModule.forRoot({ databaseType, clock, lease: '1s' }),
          TerminusModule.forRoot({ logger: false }),
        ],
        controllers: [HealthController],
        providers: [Mailer, TableQueueHealthIndicator],
      })
      class AppModule {}
      app = (await Test.createTestingModule({ imports: [AppModule] }).compile()).createNestApplication({
        logger: false,
      });
      await app.listen(0, '127.0.0.1');
    });
    afterEach(async () => {
      await app.get(DataSource).query('DELETE FROM tq_job');
    });

    async function ask(): Promise<Answer> {
      const response = await fetch(`${await app.getUrl()}/health`);
      const { details } = (await response.json()) as { details: { queue: Answer['queue'] } };
      return { status: response.status, queue: details.queue };
    }

    const untilStatus = (status: number) =>
      waitFor(`status ${status}`, async () => {
        const answer = await ask();
        return answer.status === status && answer;
      });

    test('200 with its figures where nothing is wrong', async () => {
      await app.get(TableQueue).enqueue(other);
      // Its lease is short, and late to be renewed on a busy machine.
      expect(await untilStatus(200)).toEqual({
        status: 200,
        queue: {
          status: 'up',
          verdict: 'ok',
          database: 'up',
          worker: 'lease-held',
          backlog: { other: { age: expect.any(Number), isPaused: false } },
          oldestTransaction: engine === 'sqlite' ? 'none' : expect.any(Number),
        },
      });
    });

    test('503 where the backlog is old', async () => {
      await app.get(TableQueue).enqueue(other);
      clock.advance('6m');
      // The lease ends too: it is short.
      const answer = await waitFor('its age is reported, and that no worker has the queue', async () => {
        const found = await ask();
        return (found.queue['problems'] as unknown[] | undefined)?.length === 2 && found;
      });
      expect(answer).toMatchObject({
        status: 503,
        queue: {
          status: 'down',
          verdict: 'critical',
          database: 'up',
          problems: [
            { kind: 'no-worker', count: 1, examples: ['other'], failsCheck: false },
            {
              kind: 'late-backlog',
              failsCheck: true,
              message: 'The oldest due job of queue "other" has been due for 6 minutes, more than 5 minutes.',
            },
          ],
        },
      });
      await untilStatus(503);
      await app.get(DataSource).query('DELETE FROM tq_job');
      await untilStatus(200);
    });

    test('503 while the worker has no lease', async () => {
      const dataSource = app.get(DataSource);
      await untilStatus(200);
      await dataSource.query('ALTER TABLE tq_worker RENAME TO tq_worker_away');
      const answer = await waitFor('the lease is lost', async () => {
        const found = await ask();
        return found.queue['worker'] === 'lease-lost' && found;
      });
      expect(answer).toMatchObject({ status: 503, queue: { status: 'down' } });
      await dataSource.query('ALTER TABLE tq_worker_away RENAME TO tq_worker');
      await untilStatus(200);
    });

    if (engine !== 'sqlite') {
      test('503 while the database is away', async () => {
        await untilStatus(200);
        const heal = proxy!.refuse();
        proxy!.cut();
        const answer = await waitFor('it reports that', async () => {
          const found = await ask();
          return (
            JSON.stringify(found.queue['problems'] ?? '').includes('Cannot check the health of the queue') && found
          );
        });
        expect(answer).toMatchObject({
          status: 503,
          queue: { status: 'down', database: 'down', oldestTransaction: 'unknown' },
        });
        heal();
        await untilStatus(200);
      });
    }
  },
  ['sqlite', 'mariadb'],
);

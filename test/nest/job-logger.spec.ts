import 'reflect-metadata';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type INestApplicationContext, Injectable, Logger, type LoggerService, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobLogger, QueueHandler, TableQueueModule } from '@tablequeue/nestjs';
import { type BatchJob, type DurableJobContext, TableQueue, defineJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useDatabase } from '../support/use-database.js';

const send = defineJob<{ to: string }>('mail.send');
const sync = defineJob<number>('contact.sync');

@Injectable()
class Mailer {
  private readonly logger = new Logger('Mailer');

  async deliver(to: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 5));
    this.logger.log(`delivered to ${to}`, { to });
    this.logger.error('no receipt', new Error('lost').stack);
    this.logger.verbose(['a', 1]);
  }
}

@Injectable()
class Handlers {
  private readonly logger = new Logger(Handlers.name);

  constructor(private readonly mailer: Mailer) {}

  @QueueHandler(send)
  async send({ to }: { to: string }, job: DurableJobContext): Promise<void> {
    this.logger.warn('sending');
    await job.step('deliver', () => this.mailer.deliver(to));
    job.log.info('sent');
  }

  @QueueHandler(sync, { batch: true })
  sync(jobs: readonly BatchJob<number>[]): void {
    this.logger.log('a batch');
    jobs.forEach(({ log, payload }) => log.info(`contact ${payload}`));
  }
}

Reflect.defineMetadata('design:paramtypes', [Mailer], Handlers);

// @nestjs/typeorm keeps its automatically loaded entities for the whole process: one engine to a file.
describeEach(
  'the logger of Nest',
  (engine) => {
    let app: INestApplicationContext;
    const printed: unknown[][] = [];
    const database = useDatabase(engine);
    const print =
      (level: string) =>
      (message: unknown, ...rest: unknown[]) =>
        void printed.push([level, message, ...rest]);
    const inner: LoggerService = {
      log: print('log'),
      error: print('error'),
      warn: print('warn'),
      debug: print('debug'),
      verbose: print('verbose'),
    };

    beforeEach(async () => {
      @Module({
        imports: [
          ScheduleModule.forRoot(),
          TypeOrmModule.forRoot({ ...database.options(), entities: [], autoLoadEntities: true }),
          TableQueueModule.forRoot({ databaseType: 'better-sqlite3', pollInterval: '20ms' }),
        ],
        providers: [Handlers, Mailer],
      })
      class AppModule {}
      const testing = await Test.createTestingModule({ imports: [AppModule] }).compile();
      const created = testing.createNestApplication();
      created.useLogger(new JobLogger(inner));
      app = await created.init();
    });
    afterEach(async () => {
      await app.close();
      Logger.overrideLogger(false);
    });

    test('writes what a handler and its services log to the console and to the log of the job', async () => {
      const queue = app.get(TableQueue);
      const jobs = await queue.enqueueMany(send, [{ payload: { to: 'ada' } }, { payload: { to: 'bob' } }]);
      for (const [index, to] of ['ada', 'bob'].entries()) {
        const { id } = jobs[index]!;
        await queue.waitFor(id);
        const lines = await queue.jobs.logs(id);
        expect(lines.map(({ level, message, fields }) => [level, message, fields])).toEqual([
          ['warn', 'sending', { context: 'Handlers' }],
          ['info', `delivered to ${to}`, { context: 'Mailer', to }],
          ['error', 'no receipt', { context: 'Mailer', stack: expect.stringContaining('Error: lost') }],
          ['debug', "[ 'a', 1 ]", { context: 'Mailer' }],
          ['info', 'sent', undefined],
        ]);
      }
      const ofMailer = printed.filter((line) => line.at(-1) === 'Mailer');
      expect(ofMailer).toHaveLength(6);
      expect(printed).toContainEqual(['log', 'delivered to ada', { to: 'ada' }, 'Mailer']);
    });

    test('writes lines of a batch to the console only', async () => {
      const queue = app.get(TableQueue);
      const { id } = await queue.enqueue(sync, 7);
      await queue.waitFor(id);
      expect((await queue.jobs.logs(id)).map(({ message }) => message)).toEqual(['contact 7']);
      expect(printed).toContainEqual(['log', 'a batch', 'Handlers']);
    });
  },
  ['sqlite'],
);

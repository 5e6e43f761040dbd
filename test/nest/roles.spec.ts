import 'reflect-metadata';

import { afterEach, describe, expect, test } from '@jest/globals';
import { type INestApplication, Injectable, Module, type Type } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  InvalidEnvironmentError,
  NothingToWorkOnError,
  QueueHandler,
  Recurring,
  TableQueueModule,
  type TableQueueModuleOptions,
  UnknownQueueError,
  queueRole,
} from '@tablequeue/nestjs';
import { DuplicateHandlerError, InvalidOptionError, TableQueue, defineJob } from '@tablequeue/typeorm';
import { seeDocs } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mails' });
const report = defineJob('report', { queue: 'reports' });

const ran: string[] = [];

@Injectable()
class Handlers {
  @QueueHandler(mail)
  mail(): void {
    ran.push('mail');
  }

  @Recurring({ every: '1h' })
  @QueueHandler(report)
  report(): void {
    ran.push('report');
  }
}

afterEach(() => {
  delete process.env.TABLEQUEUE_ROLE;
  delete process.env.TABLEQUEUE_QUEUES;
});

// @nestjs/typeorm keeps its automatically loaded entities for the whole process: one engine to a file.
describeEach(
  'the role of a process',
  (engine) => {
    let app: INestApplication | undefined;
    const logger = new RecordingLogger();
    const database = useDatabase(engine);
    afterEach(async () => {
      await app?.close();
      app = undefined;
      ran.length = 0;
      logger.lines.length = 0;
      const dataSource = await database.connect();
      for (const table of ['tq_job', 'tq_schedule']) {
        await dataSource.query(`DELETE FROM ${table}`);
      }
      await dataSource.destroy();
    });

    async function start(
      options: TableQueueModuleOptions,
      environment: Record<string, string> = {},
      providers: Type[] = [Handlers],
      schedule = true,
    ): Promise<INestApplication> {
      Object.assign(process.env, environment);
      @Module({
        imports: [
          ...(schedule ? [ScheduleModule.forRoot()] : []),
          TypeOrmModule.forRoot({ ...database.options(), entities: [], autoLoadEntities: true }),
          TableQueueModule.forRoot({ databaseType: 'better-sqlite3', pollInterval: '20ms', ...options }),
        ],
        providers,
      })
      class AppModule {}
      const testing = await Test.createTestingModule({ imports: [AppModule] })
        .setLogger(logger)
        .compile();
      app = testing.createNestApplication();
      return app.init();
    }

    const failure = (...parameters: Parameters<typeof start>) =>
      start(...parameters).then(
        () => new Error('it started'),
        (error: Error) => error,
      );
    const role = () => logger.lines.find((line) => line.includes('Role'))?.replace('log ', '');

    test('a producer enqueues, runs nothing, sets no schedules, and needs no scheduler', async () => {
      const queue = (await start({ role: 'producer' }, {}, [Handlers], false)).get(TableQueue);
      const { id } = await queue.enqueue(mail);
      expect(role()).toBe('Role "producer" (option role): enqueues only');
      expect(await queue.recurring.list()).toEqual([]);
      await app!.close();
      await start({ workOn: ['mails'] });
      await waitFor('another process runs it', () => ran.length === 1);
      expect(await app!.get(TableQueue).find(id)).toMatchObject({ attempt: 1 });
    });

    test('jobs and schedules of other queues are not touched', async () => {
      const queue = (await start({ workOn: ['mails'] })).get(TableQueue);
      const { id } = await queue.enqueue(report);
      await queue.enqueue(mail);
      await waitFor('the other has run', () => ran.length === 1);
      expect(await queue.find(id)).toMatchObject({ state: 'ready', attempt: 0 });
      expect(await queue.recurring.list()).toEqual([]);
      expect(role()).toBe('Role "all" (default): works on mails (option workOn)');
    });

    test('the environment wins over the options', async () => {
      const environment = { TABLEQUEUE_ROLE: 'worker', TABLEQUEUE_QUEUES: 'reports, mails' };
      await start({ role: 'producer', workOn: undefined }, environment);
      expect(role()).toBe('Role "worker" (TABLEQUEUE_ROLE): works on mails, reports (TABLEQUEUE_QUEUES)');
      await app!.close();
      logger.lines.length = 0;
      await start({ workOn: ['mails'] }, { TABLEQUEUE_ROLE: 'producer', TABLEQUEUE_QUEUES: '' });
      expect(role()).toBe('Role "producer" (TABLEQUEUE_ROLE): enqueues only');
    });

    test('a variable that is empty counts as not set', async () => {
      await start({}, { TABLEQUEUE_ROLE: '', TABLEQUEUE_QUEUES: '' });
      expect(role()).toBe('Role "all" (default): works on mails, reports (all that have handlers)');
    });

    test('without handlers a process only enqueues; a worker does not start', async () => {
      await start({}, {}, []);
      expect(role()).toBe('Role "all" (default): enqueues only, because it has no handlers');
      await app!.close();
      const error = await failure({}, { TABLEQUEUE_ROLE: 'worker' }, []);
      expect(error).toBeInstanceOf(NothingToWorkOnError);
      expect(error.message).toContain('(TABLEQUEUE_ROLE)');
    });

    test('queues without a handler are rejected, with the names of the queues with handlers', async () => {
      const error = await failure({ workOn: ['mails', 'mial'] });
      expect(error).toBeInstanceOf(UnknownQueueError);
      expect(error.message).toBe(
        'There is no handler for the queue "mial" of option workOn. Queues with handlers: mails, reports.' +
          seeDocs('operate/roles.md'),
      );
      expect(await failure({}, { TABLEQUEUE_QUEUES: 'a,b' })).toMatchObject({ queues: ['a', 'b'] });
    });

    test('wrong handlers are found in a producer, too', async () => {
      @Injectable()
      class Another {
        @QueueHandler(mail)
        mail(): void {}
      }
      expect(await failure({ role: 'producer' }, {}, [Handlers, Another])).toBeInstanceOf(DuplicateHandlerError);
    });

    const wrongOptions: [object, RegExp][] = [
      [{ role: 'wroker' }, /"role" is 'wroker', but must be one of 'all', 'producer', 'worker'/],
      [{ workOn: [] }, /"workOn" is \[\], but must be an array with names/],
      [{ workOn: 'mails' }, /"workOn" is 'mails'/],
      [
        { role: 'producer', workOn: ['mails'] },
        /"workOn" is \[ 'mails' \], but must be left out beside role 'producer'/,
      ],
    ];
    test.each(wrongOptions)('the options %j are refused', async (options, text) => {
      const error = await failure(options);
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error.message).toMatch(text);
    });

    const wrongVariables: [Record<string, string>, RegExp][] = [
      [{ TABLEQUEUE_ROLE: 'Worker' }, /TABLEQUEUE_ROLE is 'Worker', but must be one of all, producer, worker/],
      [{ TABLEQUEUE_QUEUES: 'mails,' }, /TABLEQUEUE_QUEUES is 'mails,', but must be names of queues/],
      [
        { TABLEQUEUE_ROLE: 'producer', TABLEQUEUE_QUEUES: 'mails' },
        /TABLEQUEUE_QUEUES is 'mails', but must be left unset in a producer, which it is by TABLEQUEUE_ROLE/,
      ],
    ];
    test.each(wrongVariables)('the environment %j is refused', async (environment, text) => {
      const error = await failure({}, environment);
      expect(error).toBeInstanceOf(InvalidEnvironmentError);
      expect(error.message).toMatch(text);
    });

    test('queues in the environment are refused for a producer by code', async () => {
      const error = await failure({ role: 'producer' }, { TABLEQUEUE_QUEUES: 'mails' });
      expect(error).toBeInstanceOf(InvalidEnvironmentError);
      expect(error.message).toContain('which it is by option role');
    });
  },
  ['sqlite'],
);

describe('queueRole', () => {
  test('returns the role of the environment, or else of the code', () => {
    expect([queueRole(), queueRole('worker')]).toEqual(['all', 'worker']);
    process.env.TABLEQUEUE_ROLE = 'producer';
    expect([queueRole(), queueRole('worker')]).toEqual(['producer', 'producer']);
    process.env.TABLEQUEUE_ROLE = 'both';
    expect(() => queueRole()).toThrow(InvalidEnvironmentError);
  });
});

import 'reflect-metadata';

import { describe, expect, test } from '@jest/globals';
import { type DynamicModule, Injectable, Module, type Type } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  DuplicateModuleError,
  DuplicateScheduleError,
  MissingQueueHandlerError,
  MissingScheduleModuleError,
  QueueHandler,
  Recurring,
  TableQueueModule,
  type TableQueueModuleOptions,
  UnsupportedHandlerMethodError,
} from '@tablequeue/nestjs';
import {
  DuplicateHandlerError,
  EntityError,
  InvalidOptionError,
  MissingTablesError,
  UnknownOptionError,
  defineJob,
} from '@tablequeue/typeorm';

import { createEmptyDatabase } from '../support/database.js';
import { useDatabase } from '../support/use-database.js';

const greet = defineJob('greet');

@Injectable()
class Greeter {
  @QueueHandler(greet)
  greet(): void {}
}

describe('a misconfigured module stops the start with a remedy', () => {
  const database = useDatabase('sqlite');
  const emptyDatabase = useDatabase('sqlite', createEmptyDatabase);

  interface Start {
    readonly imports?: DynamicModule[];
    readonly providers?: Type[];
    readonly options?: object;
    readonly typeorm?: object;
    readonly queueModule?: DynamicModule;
  }

  /** @returns what the start failed with. */
  async function failure(given: Start): Promise<Error> {
    const options = { databaseType: 'better-sqlite3', ...given.options } as TableQueueModuleOptions;
    const start = async () => {
      @Module({
        imports: [
          ...(given.imports ?? [ScheduleModule.forRoot()]),
          TypeOrmModule.forRoot({ ...database.options(), entities: [], autoLoadEntities: true, ...given.typeorm }),
          given.queueModule ?? TableQueueModule.forRoot(options),
        ],
        providers: given.providers ?? [Greeter],
      })
      class AppModule {}
      const app = (await Test.createTestingModule({ imports: [AppModule] }).compile()).createNestApplication();
      try {
        await app.init();
      } finally {
        await app.close();
      }
    };
    return start().then(
      () => new Error('it started'),
      (error: Error) => error,
    );
  }

  test('no ScheduleModule', async () => {
    const error = await failure({ imports: [] });
    expect(error).toBeInstanceOf(MissingScheduleModuleError);
    expect(error.message).toContain('ScheduleModule.forRoot()');
  });

  test('entities that are not registered', async () => {
    const error = await failure({ typeorm: { autoLoadEntities: false } });
    expect(error).toBeInstanceOf(EntityError);
    expect(error.message).toContain('autoLoadEntities: true');
    expect(error.message).toContain("tableQueueEntities('better-sqlite3')");
  });

  test('two handlers for one job', async () => {
    @Injectable()
    class AnotherGreeter {
      @QueueHandler(greet)
      welcome(): void {}
    }
    const error = await failure({ providers: [Greeter, AnotherGreeter] });
    expect(error).toBeInstanceOf(DuplicateHandlerError);
    expect(error.message).toContain('Greeter.greet (AppModule)');
    expect(error.message).toContain('AnotherGreeter.welcome (AppModule)');
  });

  test('an unknown option, at any depth', async () => {
    const error = await failure({ options: { concurency: 5 } });
    expect(error).toBeInstanceOf(UnknownOptionError);
    expect(error.message).toMatch(/no option "concurency".*concurrency/);
    const deeper = await failure({ options: { queues: { mail: { concurency: 5 } } } });
    expect(deeper).toBeInstanceOf(UnknownOptionError);
    expect(deeper.message).toContain('queues.mail.concurency');
  });

  test('an option out of range', async () => {
    const error = await failure({ options: { lease: '10ms' } });
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error.message).toContain('"lease" is \'10ms\'');
  });

  test('a schedule that is wrong', async () => {
    @Injectable()
    class Nightly {
      @QueueHandler(greet)
      @Recurring({ cron: '0 25 * * *' })
      greet(): void {}
    }
    const error = await failure({ providers: [Nightly] });
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error.message).toContain('"cron" is \'0 25 * * *\'');
  });

  test('a schedule whose payload the method does not accept is a compile error', () => {
    class Nightly {
      // @ts-expect-error -- the payload is missing
      @Recurring({ every: '1h' })
      missing(_payload: { id: number }): void {}

      // @ts-expect-error -- the payload is another
      @Recurring({ every: '1h', payload: { name: 'x' } })
      other(_payload: { id: number }): void {}

      @Recurring({ every: '1h', payload: { id: 1 } })
      right(_payload: { id: number }): void {}
    }
    expect(Nightly).toBeDefined();
  });

  test('two schedules of one name', async () => {
    @Injectable()
    class Twice {
      @QueueHandler(greet)
      @Recurring({ every: '1h' })
      @Recurring('greet', { every: '2h' })
      greet(): void {}
    }
    const error = await failure({ providers: [Twice] });
    expect(error).toBeInstanceOf(DuplicateScheduleError);
    expect(error.message).toContain('"greet" is defined by Twice.greet (AppModule) and by Twice.greet (AppModule)');
  });

  test('a schedule of what handles nothing', async () => {
    @Injectable()
    class Idle {
      @Recurring({ every: '1h' })
      greet(): void {}
    }
    const error = await failure({ providers: [Idle] });
    expect(error).toBeInstanceOf(MissingQueueHandlerError);
    expect(error.message).toContain('Idle.greet (AppModule)');
  });

  test('an option from a factory that comes too late', async () => {
    const queueModule = TableQueueModule.forRootAsync({
      databaseType: 'better-sqlite3',
      useFactory: () => ({ prefix: 'jobs_' }) as TableQueueModuleOptions,
    });
    const error = await failure({ queueModule });
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error.message).toContain('beside useFactory');
  });

  test('tables that were not made', async () => {
    const error = await failure({ typeorm: { database: emptyDatabase.url } });
    expect(error).toBeInstanceOf(MissingTablesError);
    expect(error.message).toContain('tq_job');
    expect(error.message).toContain('upTableQueue(queryRunner)');
  });

  test('the module twice', async () => {
    const second = TableQueueModule.forRoot({ databaseType: 'better-sqlite3' });
    const error = await failure({ imports: [ScheduleModule.forRoot(), second] });
    expect(error).toBeInstanceOf(DuplicateModuleError);
  });

  test('the module without options in another module', async () => {
    @Module({ imports: [TableQueueModule] })
    class GreetingModule {}
    const queueModule = TableQueueModule.forRoot({ databaseType: 'better-sqlite3' });
    for (const imports of [[ScheduleModule.forRoot(), queueModule], [ScheduleModule.forRoot()]]) {
      const error = await failure({ imports, queueModule: { module: GreetingModule } });
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error.message).toMatch(
        /"imports" is 'TableQueueModule', but must be TableQueueModule\.forRoot\(\), once in the root module\. Other/,
      );
    }
  });

  test('a handler without a definition, a static one, one named by a symbol', () => {
    const decorate = (target: object, property: string | symbol, definition: unknown) => () =>
      QueueHandler(definition as typeof greet)(target, property, { value: () => undefined });
    expect(decorate(Greeter.prototype, 'greet', undefined)).toThrow(/@QueueHandler of Greeter.greet.*circular import/);
    expect(decorate(Greeter, 'greet', greet)).toThrow(UnsupportedHandlerMethodError);
    expect(decorate(Greeter.prototype, Symbol('x'), greet)).toThrow(UnsupportedHandlerMethodError);
  });
});

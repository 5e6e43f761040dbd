import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { InvalidOptionError } from '@tablequeue/typeorm';

import { StopFirstModule } from './lifecycle/stop-first.module.js';
import { assertAsyncOptions, assertOptions } from './options/table-queue.checks.js';
import { MODULE_EXTRAS, WITH_OPTIONS } from './table-queue.constants.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  type OPTIONS_TYPE,
} from './table-queue.module-definition.js';

/**
 * The queue of a data source in a Nest application. Import it once for each data source with a queue, in the root
 * module, beside `TypeOrmModule.forRoot` and `ScheduleModule.forRoot`. Inject `TableQueue`, or `@InjectTableQueue` for
 * a named data source, to enqueue. Decorate methods with `@QueueHandler` to handle jobs.
 *
 * Call `app.enableShutdownHooks()`, or jobs that run at a shutdown run again.
 *
 * @example
 * @Module({
 *   imports: [
 *     ScheduleModule.forRoot(),
 *     TypeOrmModule.forRoot({ type: 'mysql', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     TableQueueModule.forRoot({ queues: { mail: { concurrency: 20 } } }),
 *   ],
 * })
 * export class AppModule {}
 */
@Module({
  imports: [DiscoveryModule, StopFirstModule],
  // The others come with the options: without them Nest would fail with an error that names only a token.
  providers: [
    { provide: WITH_OPTIONS, useFactory: assertConfigured, inject: [{ token: MODULE_EXTRAS, optional: true }] },
  ],
})
export class TableQueueModule extends ConfigurableModuleClass {
  /**
   * Imports the queue with options.
   *
   * @throws InvalidOptionError, InvalidNameError, UnknownOptionError, UnsupportedDatabaseError
   */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    assertOptions(options);
    return super.forRoot(options);
  }

  /**
   * Imports the queue with options from `useFactory`, `useClass` or `useExisting`. Pass `dataSource`, `databaseType`,
   * `prefix` and `isGlobal` beside the factory: they are needed before it runs.
   *
   * @throws InvalidOptionError, UnknownOptionError, UnsupportedDatabaseError. Wrong options of the factory
   *   stop the start.
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    assertAsyncOptions(options);
    return super.forRootAsync(options);
  }
}

/** @throws InvalidOptionError where a module imports the class itself. */
function assertConfigured(extras?: object): void {
  if (!extras) {
    throw new InvalidOptionError(
      'imports',
      'TableQueueModule',
      'TableQueueModule.forRoot(), once in the root module. Other modules need no import of it, because it is global',
    );
  }
}

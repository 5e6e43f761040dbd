import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';

import { ApplicationQueues } from './lifecycle/application-queue.registry.js';
import { QueueEventHub } from './events/queue-event.hub.js';
import { QueueListeners } from './events/queue.listeners.js';
import { QueueWorkerHost } from './lifecycle/queue-worker.host.js';
import { QueueExplorer } from './handlers/queue.explorer.js';
import { QueueLifecycle } from './lifecycle/queue.lifecycle.js';
import { QueueSchedules } from './lifecycle/queue.schedules.js';
import { resolveModuleOptions } from './options/table-queue.options.js';
import { assertAsyncOptions, assertOptions } from './options/table-queue.checks.js';
import { MODULE_EXTRAS, RESOLVED_OPTIONS } from './table-queue.constants.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN,
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
  imports: [DiscoveryModule],
  providers: [
    ApplicationQueues,
    { provide: RESOLVED_OPTIONS, useFactory: resolveModuleOptions, inject: [MODULE_OPTIONS_TOKEN, MODULE_EXTRAS] },
    QueueExplorer,
    QueueEventHub,
    QueueListeners,
    QueueWorkerHost,
    QueueSchedules,
    QueueLifecycle,
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

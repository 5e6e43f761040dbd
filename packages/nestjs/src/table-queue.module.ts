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
 * The queue of a data source in a Nest application: import it once for each data source that has one, in the root
 * module, beside `TypeOrmModule.forRoot` and `ScheduleModule.forRoot`. Inject `TableQueue` to enqueue, or with
 * `@InjectTableQueue` that of a named data source; decorate methods with `@QueueHandler` to handle.
 *
 * The application calls `app.enableShutdownHooks()`, or jobs that run when the process is told to end run again.
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
   * The queue, with its options.
   *
   * @throws InvalidOptionError, InvalidNameError, UnknownOptionError, UnsupportedDatabaseError, PartitionsUnsupportedError
   */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    assertOptions(options);
    return super.forRoot(options);
  }

  /**
   * The same with options from a factory: `useFactory`, `useClass` or `useExisting`. What has to be known before stands
   * beside it: `dataSource`, `databaseType`, `prefix`, `partitionHistory` and `isGlobal`.
   *
   * @throws InvalidOptionError, UnknownOptionError, UnsupportedDatabaseError, PartitionsUnsupportedError. What is wrong
   *   in the factory's options stops the start.
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    assertAsyncOptions(options);
    return super.forRootAsync(options);
  }
}

import { Logger, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TableQueue } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import { EventHub } from './events/event-hub.js';
import { QueueEvents } from './events/queue-events.js';
import { QueueListeners } from './events/queue-listeners.js';
import { QueueWorkerHost, RESOLVED_OPTIONS } from './queue-worker.host.js';
import { QueueExplorer } from './queue.explorer.js';
import { QueueLifecycle } from './queue.lifecycle.js';
import { QueuePruner } from './queue.pruner.js';
import { QueueReaper } from './queue.reaper.js';
import { QueueRetrier } from './queue.retrier.js';
import { QueueScheduler } from './queue.scheduler.js';
import { QueueSchedules } from './queue.schedules.js';
import { type ResolvedModuleOptions, resolveModuleOptions } from './table-queue-options.js';
import { TABLE_QUEUE_DATA_SOURCE } from './table-queue.constants.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } from './table-queue.module-definition.js';

/**
 * The queue in a Nest application: import it once, in the root module, beside `TypeOrmModule.forRoot` and
 * `ScheduleModule.forRoot`. Inject `TableQueue` to enqueue; decorate methods with `@QueueHandler` to handle.
 *
 * The application calls `app.enableShutdownHooks()`, or jobs that run when the process is told to end run again.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    { provide: RESOLVED_OPTIONS, useFactory: resolveModuleOptions, inject: [MODULE_OPTIONS_TOKEN] },
    {
      provide: TableQueue,
      useFactory: (dataSource: DataSource, { queue }: ResolvedModuleOptions) =>
        new TableQueue(dataSource, { logger: new Logger('TableQueue'), ...queue }),
      inject: [TABLE_QUEUE_DATA_SOURCE, RESOLVED_OPTIONS],
    },
    QueueExplorer,
    EventHub,
    QueueEvents,
    QueueListeners,
    QueueWorkerHost,
    QueueReaper,
    QueueRetrier,
    QueuePruner,
    QueueScheduler,
    QueueSchedules,
    QueueLifecycle,
  ],
  exports: [TableQueue, QueueEvents, QueueReaper, QueueRetrier, QueuePruner, QueueScheduler],
})
export class TableQueueModule extends ConfigurableModuleClass {}

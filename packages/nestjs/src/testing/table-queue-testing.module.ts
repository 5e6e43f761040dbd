import { type DynamicModule, Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type TestEntity, TestingClock, inMemoryDatabase } from '@tablequeue/typeorm/testing';

import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import type { TableQueueModuleExtras } from '../options/table-queue.extras.js';
import type { TableQueueModuleOptions } from '../options/table-queue.options.js';
import { TableQueueModule } from '../table-queue.module.js';
import { TestingWorkerHost } from './testing-worker.host.js';

/** Options of `TableQueueTestingModule`: those of `TableQueueModule`, and the application's entities. */
export interface TableQueueTestingOptions
  extends Omit<TableQueueModuleOptions, 'clock'>, Omit<TableQueueModuleExtras, 'databaseType' | 'isGlobal'> {
  /** Entities whose tables are created beside the queue's. Default: none. */
  readonly entities?: readonly TestEntity[];
  /** Default: a new one. */
  readonly clock?: TestingClock;
}

/**
 * Replaces `TypeOrmModule.forRoot`, `ScheduleModule.forRoot` and `TableQueueModule.forRoot` in tests of a few
 * providers. Each application gets an SQLite database in memory with all tables. Its queue runs nothing until the test
 * drains `testingQueue(app)`. Requires better-sqlite3.
 */
@Module({})
export class TableQueueTestingModule {
  /** @throws InvalidOptionError, InvalidNameError, UnknownOptionError */
  static forRoot({ entities = [], ...options }: TableQueueTestingOptions = {}): DynamicModule {
    const { dataSource, prefix, clock = new TestingClock() } = options;
    const queue = TableQueueModule.forRoot({ ...options, clock, databaseType: 'better-sqlite3' });
    return {
      module: TableQueueTestingModule,
      global: true,
      imports: [
        TypeOrmModule.forRoot({
          ...inMemoryDatabase(entities, prefix),
          ...(dataSource !== undefined && { name: dataSource }),
          // A wrong entity stays wrong.
          retryAttempts: 1,
        }),
        // A later provider replaces an earlier one with its token.
        {
          ...queue,
          providers: [...(queue.providers ?? []), { provide: QueueWorkerHost, useClass: TestingWorkerHost }],
        },
      ],
      // Only the registry: ScheduleModule would run the timers of the tested providers.
      providers: [SchedulerRegistry],
      exports: [SchedulerRegistry],
    };
  }
}

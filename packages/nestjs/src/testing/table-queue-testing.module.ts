import { type DynamicModule, Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type TestEntity, TestingClock, inMemoryDatabase } from '@tablequeue/typeorm/testing';

import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import type { TableQueueModuleExtras } from '../options/table-queue.extras.js';
import type { TableQueueModuleOptions } from '../options/table-queue.options.js';
import { TableQueueModule } from '../table-queue.module.js';
import { TestingWorkerHost } from './testing-worker.host.js';

/** What `TableQueueTestingModule` takes: options of `TableQueueModule`, and the entities of what is tested. */
export interface TableQueueTestingOptions
  extends
    Omit<TableQueueModuleOptions, 'clock'>,
    Omit<TableQueueModuleExtras, 'databaseType' | 'partitionHistory' | 'isGlobal'> {
  /** The entities whose tables are created. Default: none but the queue's. */
  readonly entities?: readonly TestEntity[];
  /** Default: a new one. */
  readonly clock?: TestingClock;
}

/**
 * Takes the place of `TypeOrmModule.forRoot`, `ScheduleModule.forRoot` and `TableQueueModule.forRoot` in the test of a few
 * providers: an SQLite database in memory for each application, with all tables, and a queue that runs nothing by itself.
 * Then `testingQueue(app)`. better-sqlite3 has to be installed.
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
          // What is wrong with an entity is wrong the next time too.
          retryAttempts: 1,
        }),
        // A later provider takes the place of an earlier one with its token.
        {
          ...queue,
          providers: [...(queue.providers ?? []), { provide: QueueWorkerHost, useClass: TestingWorkerHost }],
        },
      ],
      // The registry alone: ScheduleModule would run the timers of whatever is tested.
      providers: [SchedulerRegistry],
      exports: [SchedulerRegistry],
    };
  }
}

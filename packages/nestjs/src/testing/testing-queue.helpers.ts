import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { TableQueue } from '@tablequeue/typeorm';
import { TestingClock, TestingQueue, TestingStateError } from '@tablequeue/typeorm/testing';

import { MissingModuleError } from '../errors/index.js';
import { QueueExplorer } from '../handlers/queue.explorer.js';
import { queueModules } from '../lifecycle/application-queue.registry.js';
import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import { resolveDataSourceName } from '../options/data-source.name.js';
import type { ResolvedModuleExtras } from '../options/table-queue.extras.js';
import { type TableQueueModuleOptions, resolveModuleOptions } from '../options/table-queue.options.js';
import { MODULE_EXTRAS, RESOLVED_OPTIONS, TABLE_QUEUE } from '../table-queue.constants.js';
import { MODULE_OPTIONS_TOKEN } from '../table-queue.module-definition.js';
import { TestingWorkerHost } from './testing-worker.host.js';

/**
 * The testing queue of an application, with all its `@QueueHandler` methods.
 *
 * For an application with `TableQueueTestingModule` or `withTestingQueue` it is always the same object, and jobs run
 * only when the test drains them. For any other application, whose worker runs, each call returns a new one for
 * expectations and `waitFor`.
 *
 * @param dataSource the name of the queue's data source. Default: the default data source.
 * @throws TestingStateError when the application is not initialized.
 * @throws MissingModuleError where the data source has no queue.
 */
export function testingQueue(app: INestApplicationContext, dataSource?: string): TestingQueue {
  const providers = providersOf(app, resolveDataSourceName('dataSource', dataSource));
  const host = providers.get(QueueWorkerHost)?.instance as QueueWorkerHost;
  if (!(host instanceof TestingWorkerHost)) {
    const explorer = providers.get(QueueExplorer)?.instance as QueueExplorer;
    const { handlers } = explorer.explore();
    return new TestingQueue(providers.get(TABLE_QUEUE)?.instance as TableQueue, handlers);
  }
  if (!host.testingQueue) {
    throw new TestingStateError('The application is not initialized, so its handlers are unknown: await app.init().');
  }
  return host.testingQueue;
}

/** The providers of the module that has the queue of a data source. */
function providersOf(app: INestApplicationContext, dataSource: string) {
  const all = queueModules(app.get(ModulesContainer));
  const found = all.find(({ extras }) => extras.dataSource === dataSource);
  if (!found) {
    const present = all.map(({ extras }) => extras.dataSource);
    throw new MissingModuleError('testingQueue', dataSource, present);
  }
  return found.module.providers;
}

/** Options of `withTestingQueue`. */
export interface TestingOverrides {
  /** The clock. Default: the one in the options of `TableQueueModule`, or else a new `TestingClock`. */
  readonly clock?: TestingClock;
}

/**
 * Prepares a testing module of an application that has its own `TableQueueModule` and database. No worker starts, no
 * maintenance runs, and the queue has a testing clock: jobs run when the test drains `testingQueue(app)`.
 *
 * @returns the builder that was given.
 */
export function withTestingQueue(
  builder: TestingModuleBuilder,
  overrides: TestingOverrides = {},
): TestingModuleBuilder {
  return builder
    .overrideProvider(QueueWorkerHost)
    .useClass(TestingWorkerHost)
    .overrideProvider(RESOLVED_OPTIONS)
    .useFactory({
      factory: (options: TableQueueModuleOptions, extras: ResolvedModuleExtras) => {
        const resolved = resolveModuleOptions(options, extras);
        const clock = overrides.clock ?? resolved.queue.clock ?? new TestingClock();
        return { ...resolved, queue: { ...resolved.queue, clock } };
      },
      inject: [MODULE_OPTIONS_TOKEN, MODULE_EXTRAS],
    });
}

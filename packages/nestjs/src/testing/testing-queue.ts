import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { TableQueue } from '@tablequeue/typeorm';
import { TestingQueue, TestingStateError } from '@tablequeue/typeorm/testing';

import { ApplicationQueues } from '../application-queues.js';
import { resolveDataSourceName } from '../data-source-name.js';
import { MissingModuleError } from '../errors/index.js';
import { QueueWorkerHost } from '../queue-worker.host.js';
import { QueueExplorer } from '../queue.explorer.js';
import type { ResolvedModuleExtras } from '../table-queue-extras.js';
import { MODULE_EXTRAS, TABLE_QUEUE } from '../table-queue.constants.js';
import { TestingWorkerHost } from './testing-worker.host.js';

/**
 * The testing queue of an application, with all its `@QueueHandler` methods.
 *
 * Of one that was made with `TableQueueTestingModule` or `withTestingQueue` it is always the same; nothing runs there by
 * itself. Of any other application, whose worker runs, it is made anew: for expectations and `waitFor`.
 *
 * @param dataSource the name of the queue's data source. Default: the default data source.
 * @throws TestingStateError when the application is not initialised; MissingModuleError where the data source has no queue.
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
    throw new TestingStateError('The application is not initialised, so its handlers are not known: await app.init().');
  }
  return host.testingQueue;
}

/** The providers of the module that has the queue of a data source. */
function providersOf(app: INestApplicationContext, dataSource: string) {
  for (const { providers } of app.get(ModulesContainer).values()) {
    const extras = providers.get(MODULE_EXTRAS)?.instance as ResolvedModuleExtras | undefined;
    if (extras?.dataSource === dataSource) {
      return providers;
    }
  }
  const { dataSources } = app.get(ApplicationQueues, { strict: false });
  throw new MissingModuleError('testingQueue', dataSource, dataSources);
}

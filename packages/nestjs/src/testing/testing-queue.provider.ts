import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { TableQueue } from '@tablequeue/typeorm';
import { TestingQueue, TestingStateError } from '@tablequeue/typeorm/testing';

import { queueModules } from '../lifecycle/application-queue.registry.js';
import { resolveDataSourceName } from '../options/data-source.name.js';
import { MissingModuleError } from '../errors/index.js';
import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import { QueueExplorer } from '../handlers/queue.explorer.js';
import { TABLE_QUEUE } from '../table-queue.constants.js';
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

import type { INestApplicationContext } from '@nestjs/common';
import { TableQueue } from '@tablequeue/typeorm';
import { TestingQueue, TestingStateError } from '@tablequeue/typeorm/testing';

import { QueueWorkerHost } from '../queue-worker.host.js';
import { QueueExplorer } from '../queue.explorer.js';
import { TestingWorkerHost } from './testing-worker.host.js';

/**
 * The testing queue of an application, with all its `@QueueHandler` methods.
 *
 * Of one that was made with `TableQueueTestingModule` or `withTestingQueue` it is always the same; nothing runs there by
 * itself. Of any other application, whose worker runs, it is made anew: for expectations and `waitFor`.
 *
 * @throws TestingStateError when the application is not initialised.
 */
export function testingQueue(app: INestApplicationContext): TestingQueue {
  const host = app.get(QueueWorkerHost, { strict: false });
  if (!(host instanceof TestingWorkerHost)) {
    const { handlers } = app.get(QueueExplorer, { strict: false }).explore();
    return new TestingQueue(app.get(TableQueue, { strict: false }), handlers);
  }
  if (!host.testingQueue) {
    throw new TestingStateError('The application is not initialised, so its handlers are not known: await app.init().');
  }
  return host.testingQueue;
}

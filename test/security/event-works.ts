import { TableQueue, TableQueueWorker, defineEvent, eventHandler } from '@tablequeue/typeorm';

import { RecordingLogger } from '../support/recording-logger.js';
import { waitFor } from '../support/wait-for.js';
import { type RoleWork, assertAllowed } from './role-works.js';

const event = defineEvent('event');

function workerOf(queue: TableQueue, logger: RecordingLogger, subscriptions: Readonly<Record<string, number>>) {
  const handlers = Object.entries(subscriptions).map(([subscription, priority]) =>
    eventHandler(event, { subscription, priority }, () => undefined),
  );
  return new TableQueueWorker(queue, handlers, { logger, maintenance: false });
}

/** A worker that registers a new subscription, changes another one, and fans an event out. */
export const workOnEvents: RoleWork = async (own, admin) => {
  const logger = new RecordingLogger();
  const setUp = new TableQueue(admin);
  const other = workerOf(setUp, logger, { changed: 1 });
  await other.start();
  await other.stop();
  const worker = workerOf(new TableQueue(own), logger, { changed: 2, added: 0 });
  try {
    await worker.start();
    await setUp.publish(event);
    await waitFor('both have run', async () => {
      assertAllowed(logger);
      return (await setUp.jobs.list({ state: 'succeeded', queue: 'default' })).jobs.length === 2;
    });
  } finally {
    await worker.stop();
  }
  assertAllowed(logger);
};

/** Lists, replays and removes subscriptions. */
export const operateEvents: RoleWork = async (own, admin) => {
  const logger = new RecordingLogger();
  const worker = workerOf(new TableQueue(admin), logger, { mailing: 0 });
  await worker.start();
  await worker.stop();
  const { subscriptions } = new TableQueue(own, { logger });
  await subscriptions.list();
  await subscriptions.replay(event, 'mailing', { from: '1h' });
  await subscriptions.remove(event, 'mailing');
  assertAllowed(logger);
};

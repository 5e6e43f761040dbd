import { TableQueue, TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';

import { RecordingLogger } from '../support/recording-logger.js';
import { waitFor } from '../support/wait-for.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { type RoleWork, assertAllowed } from './role-works.js';

const waiting = defineJob('waiting', { queue: 'paused' });
const other = defineJob('other');

/** A worker that opens and resolves an alert. */
export const workWithAlerts: RoleWork = async (own, admin) => {
  const logger = new RecordingLogger();
  const setUp = new TableQueue(admin);
  const receiver = await WebhookReceiver.start();
  await setUp.control.pause('paused');
  await setUp.enqueue(waiting);
  const worker = new TableQueueWorker(new TableQueue(own), [jobHandler(other, () => undefined)], {
    logger,
    maintenance: false,
    alerts: {
      webhooks: { own: { url: receiver.url } },
      rules: { paused: { kinds: ['paused-queues'] } },
      interval: '100ms',
    },
  });
  const received = (count: number) =>
    waitFor('a message is sent', () => {
      assertAllowed(logger);
      return receiver.requests.length === count;
    });
  try {
    await worker.start();
    await received(1);
    await setUp.control.resume('paused');
    await received(2);
  } finally {
    await worker.stop();
    await receiver.stop();
  }
};

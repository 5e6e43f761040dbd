import { TableQueue, TableQueueWorker, child, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TestingClock } from '@tablequeue/typeorm/testing';

import { RecordingLogger } from '../support/recording-logger.js';
import { waitFor } from '../support/wait-for.js';
import { type RoleWork, assertAllowed } from './role-works.js';

const parent = defineJob('parent', { queue: 'durable', retry: { attempts: 1 } });
const order = defineJob<string>('order', {
  queue: 'orders',
  unique: { key: () => 'o', while: 'unfinished', onConflict: 'replace' },
});
const leaf = defineJob('leaf', { queue: 'durable', retry: { attempts: 1 } });

/** Replaces a durable job that waits, with a step, a signal and a child. */
export const replaceDurably: RoleWork = async (own, admin) => {
  const setUp = new TableQueue(admin);
  const logger = new RecordingLogger();
  const handler = jobHandler(order, async (_payload, job) => {
    await job.run('leaf', child(leaf, undefined));
  });
  const worker = new TableQueueWorker(setUp, [handler], { logger, maintenance: false, pollInterval: '50ms' });
  const { id } = await setUp.enqueue(order, 'a');
  await worker.start();
  await waitFor('it waits', async () => (await setUp.find(id))?.state === 'waiting');
  await worker.stop();
  await setUp.signal(id, 'go');
  const { replaced } = await new TableQueue(own).enqueue(order, 'b');
  if (!replaced) {
    throw new Error('the job was not replaced');
  }
};

/** A worker with a durable job: a step, a wait for a signal, a child, and their end after the retention. */
export const workDurably: RoleWork = async (own, admin) => {
  const clock = new TestingClock();
  const setUp = new TableQueue(admin, { clock });
  const logger = new RecordingLogger();
  const { id } = await setUp.enqueue(parent);
  const handlers = [
    jobHandler(parent, async (_payload, job) => {
      await job.step('one', () => 1);
      await job.waitForSignal('go');
      await job.run('leaf', child(leaf, undefined));
    }),
    jobHandler(leaf, () => undefined),
  ];
  const worker = new TableQueueWorker(new TableQueue(own, { clock }), handlers, { logger, maintenance: false });
  await worker.start();
  try {
    const stateOf = async () => {
      assertAllowed(logger);
      const job = await setUp.find(id);
      if (job?.state === 'failed') {
        throw new Error(String(job.error));
      }
      return job?.state;
    };
    await waitFor('it waits', async () => (await stateOf()) === 'waiting');
    await setUp.signal(id, 'go');
    await waitFor('it has ended', async () => (await stateOf()) === 'succeeded');
    clock.advance(40 * 24 * 3_600_000);
    await worker.pruner.runOnce();
  } finally {
    await worker.stop();
  }
  assertAllowed(logger);
};

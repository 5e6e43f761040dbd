import { TableQueue, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TestingQueue } from '@tablequeue/typeorm/testing';
import type { DataSource } from 'typeorm';

import { RecordingLogger } from '../support/recording-logger.js';
import { type RoleWork, assertAllowed } from './role-works.js';

const job = defineJob<string>('job');
const bad = defineJob<string>('bad', { queue: 'bad', retry: { attempts: 1 } });
const ordered = defineJob<string>('ordered', { order: { by: (key) => key }, retry: { attempts: 1 } });
const unique = defineJob('by-hand.unique', { unique: {} });
const expiring = defineJob('by-hand.expiring', { expiresIn: '1h' });
const durable = defineJob('durable', { queue: 'durable', retry: { attempts: 1 } });
const STATES = ['waiting', 'scheduled', 'ready', 'running', 'succeeded', 'failed', 'cancelled'] as const;
const by = { by: 'ada' };
const WORKER = 7;

/** What the dashboard shows. */
export const view: RoleWork = async (own, admin) => {
  await setUp(admin);
  const queue = new TableQueue(own);
  for (const state of STATES) {
    const { jobs } = await queue.jobs.list({ state });
    await Promise.all(jobs.map(({ id }) => queue.jobs.find(id)));
    await queue.jobs.list({ state, key: 'k' });
  }
  await queue.jobs.search('k', { payload: true });
  await queue.jobs.preview('cancel', { state: 'ready' });
  await queue.counts();
  await queue.failed.count();
  await queue.failed.errors();
  await queue.control.list();
  await queue.recurring.list();
  await queue.activity.workers();
  await queue.activity.audit();
  await queue.activity.throughput('hour');
};

/** What is done in it by hand, and what it shows. */
export const administer: RoleWork = async (own, admin) => {
  await view(own, admin);
  const id = await setUp(admin);
  const durableId = await setUpDurable(admin);
  const [blocking, skipped] = await setUpOrdered(admin);
  await admin.query(
    `REPLACE INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until)
     VALUES (${WORKER}, 'h', 1, '1', '[]', 0, 0, ${Date.now() + 60_000})`,
  );
  const logger = new RecordingLogger();
  const queue = new TableQueue(own, { logger });
  const { jobs, control, recurring } = queue;
  await jobs.runNow({ state: 'scheduled' }, by);
  await jobs.changePriority(id, 3, by);
  await jobs.cancel(id, by);
  await jobs.retry(id, by);
  await control.pause('default', by);
  await control.limit('default', { concurrency: 1 }, by);
  await control.resume('default', by);
  await control.quietWorker(WORKER, by);
  await control.resumeWorker(WORKER, by);
  await control.stopWorker(WORKER, by);
  await recurring.set('another', job, 'a', { every: '1h' });
  await recurring.pause('another', by);
  await recurring.resume('another', by);
  await recurring.fireNow('another');
  const [error] = (await queue.failed.errors()).errors;
  await queue.failed.mute(error!.fingerprint, '1h', by);
  await queue.failed.unmute(error!.fingerprint, by);
  await jobs.retry(durableId, by);
  await queue.signal(durableId, 'go');
  await jobs.retry(blocking, by);
  await jobs.cancel(blocking, by);
  await jobs.retry(blocking, by);
  await jobs.skip(skipped, by);
  await actByHand(queue);
  assertAllowed(logger);
};

/** What `queue.manual` does to jobs without keys and expiry times. */
async function actByHand({ manual, jobs }: TableQueue): Promise<void> {
  const id = await manual.enqueue({ name: job.name, payload: 'b', delay: '1h' }, by);
  await manual.copy(id, by);
  await manual.reschedule(id, { delay: '2h', ...by });
  await jobs.cancel(id, by);
  await manual.retry(id, 'c', by);
  await jobs.cancel(id, by);
  await manual.delete(id, by);
  await manual.enqueue({ name: ordered.name, payload: 'c' }, by);
}

/** What `queue.manual` does to jobs with keys and expiry times. */
export const actByHandOnKeys: RoleWork = async (own) => {
  const { manual, jobs } = new TableQueue(own);
  await manual.copy(await manual.enqueue({ name: job.name, payload: 'a', key: 'k' }, by), by);
  const id = await manual.enqueue({ name: unique.name }, by);
  await jobs.cancel(id, by);
  await jobs.retry(id, by);
  const expires = await manual.enqueue({ name: expiring.name, delay: '1h' }, by);
  await manual.reschedule(expires, { delay: '2h', ...by });
};

async function setUp(admin: DataSource): Promise<string> {
  const queue = new TableQueue(admin);
  await queue.enqueue(job, 'a', { delay: '1h', key: 'k' });
  await queue.groups.enqueue({
    jobs: [{ definition: job, payload: 'a' }],
    onComplete: { definition: job, payload: 'b' },
  });
  await queue.enqueue(bad, 'a');
  const failing = jobHandler(bad, () => {
    throw new Error('x');
  });
  await new TestingQueue(queue, [failing]).drain({ failures: 'return' });
  const { id } = await queue.enqueue(job, 'a', { key: 'k' });
  return id;
}

/** Two jobs that have failed and block their order keys, each with another one behind it. */
async function setUpOrdered(admin: DataSource): Promise<[string, string]> {
  const queue = new TableQueue(admin);
  const stored = await queue.enqueueMany(
    ordered,
    ['a', 'a', 'b', 'b'].map((payload) => ({ payload })),
  );
  const failing = jobHandler(ordered, () => {
    throw new Error('x');
  });
  await new TestingQueue(queue, [failing]).drain({ failures: 'return' });
  return [stored[0]!.id, stored[2]!.id];
}

/** A job that has failed, with a signal, a stored step, one to be tried again and one that has failed. */
async function setUpDurable(admin: DataSource): Promise<string> {
  const queue = new TableQueue(admin);
  const { id } = await queue.enqueue(durable);
  await queue.signal(id, 'go');
  const handler = jobHandler(durable, async (_payload, { attempt, step }) => {
    await step('one', () => 1);
    const fail = () => {
      throw new Error('x');
    };
    await (attempt === 1
      ? step('again', fail, { retry: { attempts: 2, backoff: () => 0 } })
      : step('two', fail, { retry: { attempts: 1 } }));
  });
  await new TestingQueue(queue, [handler]).drain({ failures: 'return' });
  return id;
}

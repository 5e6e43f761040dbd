import {
  SnoozeJobError,
  TableQueue,
  TableQueueWorker,
  UnrecoverableJobError,
  defineJob,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { TestingClock } from '@tablequeue/typeorm/testing';
import type { DataSource } from 'typeorm';

import { RecordingLogger } from '../support/recording-logger.js';
import { waitFor } from '../support/wait-for.js';

/** All that one role does, on its account; the setup before runs as the administrator. */
export type RoleWork = (own: DataSource, admin: DataSource) => Promise<void>;

const job = defineJob<string>('job', { retry: { attempts: 1 } });
const unique = defineJob<string>('unique', { unique: { while: 'queued' } });
const kept = defineJob<string>('kept', { keep: 'none', unique: { while: 'unfinished' } });
const bad = defineJob<string>('bad', { retry: { attempts: 2, backoff: () => 0 } });
const snoozed = defineJob<string>('snoozed');
const transactional = defineJob<string>('transactional');
const ordered = defineJob<string>('ordered', { order: { by: (key) => key } });
const slow = defineJob<string>('slow', { queue: 'slow' });

/** Plain jobs: with delays, priorities, keys and tenants, alone, in bulk and in transactions. */
export const produce: RoleWork = async (own) => {
  const queue = new TableQueue(own);
  await queue.enqueue(job, 'a', { delay: '1h', priority: 3, tenant: 't' });
  await queue.enqueue(job, 'a', { key: 'k' });
  await queue.enqueueMany(
    job,
    Array.from({ length: 60 }, (_, index) => ({ payload: 'b', key: `k${index}` })),
  );
  await own.transaction((manager) => queue.enqueue(job, 'c', { manager, key: 'k' }));
};

/** Unique jobs and groups too. */
export const produceAll: RoleWork = async (own, admin) => {
  await produce(own, admin);
  const clock = new TestingClock();
  const queue = new TableQueue(own, { clock });
  await queue.enqueue(job, 'a', { unique: { key: 'u' } });
  await queue.enqueue(job, 'b', { unique: { key: 'u' } });
  await queue.enqueue(job, 'c', { key: 'k', unique: { key: 'u', while: 'queued', onConflict: 'replace' } });
  await queue.enqueue(job, 'd', { key: 'l', unique: { key: 'u', while: 'queued', onConflict: 'replace' } });
  await queue.enqueue(job, 'd', { unique: { key: 'w', period: '1s' } });
  clock.advance(2_000);
  await queue.enqueue(job, 'e', { unique: { key: 'w', period: '1s' } });
  await queue.groups.enqueue({
    jobs: [{ definition: job, payload: 'f' }],
    onComplete: { definition: job, payload: 'g' },
  });
};

/** Jobs with an order. */
export const produceInOrder: RoleWork = async (own) => {
  const logger = new RecordingLogger();
  const queue = new TableQueue(own, { logger });
  await queue.enqueue(ordered, 'a');
  await queue.enqueue(ordered, 'a');
  assertAllowed(logger);
};

/** The operations of a dashboard, the command line and operators. */
export const operate: RoleWork = async (own, admin) => {
  const setUp = new TableQueue(admin);
  const keyed = await setUp.enqueue(job, 'a', { key: 'k', unique: { key: 'v' } });
  await setUp.enqueue(job, 'b', { key: 'k' });
  const { id: group } = await setUp.groups.enqueue({
    jobs: [{ definition: job, payload: 'f', key: 'member' }],
    onSuccess: { definition: job, payload: 'g', key: 'callback' },
    onComplete: { definition: job, payload: 'g', key: 'callback' },
  });
  await failOne(admin);
  await setUp.recurring.set('schedule', job, 'a', { every: '1h' });

  const logger = new RecordingLogger();
  const queue = new TableQueue(own, { logger });
  await queue.counts();
  await queue.find(keyed.id);
  await queue.findByKey('k');
  await queue.groups.find(group);
  await queue.failed.list({ only: job, errorIncludes: 'x' });
  await queue.failed.count();
  if (!(await queue.health()).isHealthy) {
    throw new Error('its health could not be read');
  }
  await queue.control.list();
  await queue.control.pause('default');
  await queue.control.limit('default', { concurrency: 1 });
  await queue.control.resume('default');
  await queue.cancelByKey('k');
  await queue.cancelByKey('member');
  await queue.cancelMany({ queue: 'default', only: job });
  await queue.failed.retryMany({});
  await waitUntilRunning(admin);
  await queue.cancelMany({ queue: 'slow' });
  await queue.recurring.list();
  await queue.recurring.pause('schedule');
  await queue.recurring.resume('schedule');
  await queue.recurring.fireNow('schedule');
  await queue.recurring.remove('schedule');
  await failOne(admin);
  await queue.prune(0);
  assertAllowed(logger);
};

function jobsOf(admin: DataSource): Promise<{ state: string; queue: string }[]> {
  return admin.query('SELECT state, queue FROM tq_job WHERE finished_at = 0');
}

/** What went wrong in the background has only been logged. */
export function assertAllowed({ lines }: RecordingLogger): void {
  const denied = lines.find((line) => /denied/i.test(line));
  if (denied) {
    throw new Error(denied);
  }
}

async function failOne(admin: DataSource): Promise<void> {
  const queue = new TableQueue(admin);
  const { id } = await queue.enqueue(bad, 'x');
  const handler = jobHandler(bad, () => {
    throw new Error('x');
  });
  const worker = new TableQueueWorker(queue, [handler], { logger: new RecordingLogger(), maintenance: false });
  await worker.start();
  await waitFor('it has failed', async () => (await queue.find(id))?.state === 'failed');
  await worker.stop();
}

/** As if a worker somewhere ran a job. */
async function waitUntilRunning(admin: DataSource): Promise<void> {
  await new TableQueue(admin).enqueue(slow, 's');
  await admin.query("UPDATE tq_job SET state = 'running', owner = 7, lane = 7, attempt = 1 WHERE queue = 'slow'");
}

/** A worker with all kinds of handlers, its maintenance and a stop in the middle of a job. */
export const work: RoleWork = async (own, admin) => {
  const clock = new TestingClock();
  const setUp = new TableQueue(admin, { clock });
  const logger = new RecordingLogger();
  await setUp.enqueueMany(job, [
    { payload: 'a', key: 'k' },
    { payload: 'b', tenant: 't' },
    { payload: 'c', delay: '1s' },
  ]);
  await setUp.enqueue(unique, 'u');
  await setUp.enqueue(kept, 'k', { key: 'kept' });
  await setUp.enqueue(bad, 'x', { key: 'bad' });
  await setUp.enqueue(snoozed, 's');
  await setUp.enqueue(transactional, 't');
  await setUp.groups.enqueue({
    jobs: [{ definition: job, payload: 'f' }],
    onSuccess: { definition: job, payload: 'g' },
    onFailure: { definition: job, payload: 'g' },
  });
  await setUp.recurring.set('schedule', job, 'a', { every: '1h', overlap: false, key: 's' });
  await setUp.control.limit('default', {
    concurrency: 50,
    concurrencyPerTenant: 5,
    rate: { jobs: 1000, per: '1s' },
    ratePerTenant: { jobs: 1000, per: '1s' },
  });
  await setUp.enqueue(slow, 'dead');
  await admin.query("UPDATE tq_job SET state = 'running', owner = 7, lane = 7, attempt = 1 WHERE queue = 'slow'");
  await admin.query(
    "INSERT INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until) VALUES (7, 'h', 1, '1', '[]', 0, 0, 1)",
  );

  const queue = new TableQueue(own, { clock });
  const failing = jobHandler(bad, () => {
    throw new UnrecoverableJobError('x');
  });
  const snoozing = jobHandler(snoozed, (_payload, { attempt }) => {
    if (attempt === 1) {
      throw new SnoozeJobError(0);
    }
  });
  const lasting = jobHandler(slow, (_payload, { signal }) => {
    return new Promise<void>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  });
  const handlers = [
    jobHandler(job, (payload, { progress }) => progress(payload)),
    jobHandler(unique, () => undefined),
    jobHandler(kept, () => undefined),
    failing,
    snoozing,
    transactionalHandler(transactional, () => undefined),
    lasting,
  ];
  const worker = new TableQueueWorker(queue, handlers, {
    logger,
    maintenance: false,
    shutdownTimeout: 0,
    lease: '1s',
    retention: { succeeded: { age: '1s' }, failed: { age: '1s' }, cancelled: { age: '1s' } },
    queues: { limited: { limits: { concurrency: 5 } } },
  });
  await worker.start();
  try {
    clock.advance(2 * 3_600_000);
    await worker.reaper.runOnce();
    await worker.retrier.runOnce();
    await worker.scheduler.runOnce();
    await waitFor('all has run', async () => {
      assertAllowed(logger);
      const open = (await jobsOf(admin)).filter(({ state, queue: name }) => state !== 'running' || name !== 'slow');
      return open.length === 0;
    });
    await setUp.cancelMany({ queue: 'slow' });
    await waitFor('its signal was aborted', async () => {
      // The job of a worker whose lease a busy machine has let end.
      await worker.reaper.runOnce();
      assertAllowed(logger);
      return (await jobsOf(admin)).length === 0;
    });
    await setUp.enqueue(slow, 'again');
    await waitFor('it runs', async () => {
      await worker.reaper.runOnce();
      assertAllowed(logger);
      return (await jobsOf(admin)).some(({ state }) => state === 'running');
    });
    const leaseOf = async () => {
      // One that a busy machine has lost stays, and is not renewed any more.
      const [row] = (await admin.query('SELECT MAX(lease_until) AS lease_until FROM tq_worker WHERE id <> 7')) as {
        lease_until: string;
      }[];
      return row?.lease_until;
    };
    const untilRenewed = async () => {
      const lease = await leaseOf();
      await waitFor('the lease is renewed', async () => {
        assertAllowed(logger);
        return (await leaseOf()) !== lease;
      });
    };
    await untilRenewed();
    clock.advance(40 * 24 * 3_600_000);
    await worker.pruner.runOnce();
    // A worker without a lease returns no job.
    await untilRenewed();
    await worker.reaper.runOnce();
    const lock = queue.lock('l');
    await lock.acquire();
    await lock.release();
  } finally {
    await worker.stop();
  }
  assertAllowed(logger);
  if ((await jobsOf(admin)).some(({ state }) => state !== 'ready')) {
    throw new Error('the job was not returned');
  }
};

import { type QueueLimits, type TableQueue, TableQueueWorker, jobHandler } from '@tablequeue/typeorm';

import type { Metrics, Task } from '../client/task.js';
import { median } from '../statistics.js';
import { type QueueDatabase, connectToEmpty, numberJob, storeNumbers } from './queue-database.js';
import { type Drained, drain } from './work-off.js';

const CONCURRENCY = 200;
const TENANTS = 10_000;
/** So high that no job waits for a token. */
const HIGH = { jobs: 1_000_000_000, per: '1s' } as const;
/** A second token comes long after the measurement. */
const LOW = { jobs: 1, per: '1d' } as const;
const ROUNDS = 3;

/**
 * What rates cost: a drain with a rate that never delays a job against one without, of a queue and of 10,000 tenants,
 * in turns. And how long a worker takes to start the job of the one tenant that has a token, behind 10,000 without.
 */
export async function rateLimits(task: Task): Promise<Metrics> {
  const database = await connectToEmpty(task);
  const { queue } = database;
  const jobs = task.counts.snapshot;
  const metrics = {
    ...(await compare('queue', [{}, { concurrency: 10_000 }, { rate: HIGH }], async (limits) => {
      await queue.control.limit(numberJob.queue, limits);
      await storeNumbers(queue, jobs);
      return drain(task, queue, jobs, CONCURRENCY);
    })),
    ...(await compare('10,000 tenants', [{}, { concurrency: 10_000 }, { ratePerTenant: HIGH }], async (limits) => {
      await queue.control.limit(numberJob.queue, limits);
      await storeOfTenants(queue, 2 * TENANTS);
      return drain(task, queue, 2 * TENANTS, CONCURRENCY);
    })),
    ...(await behindLimited(database)),
  };
  await database.dataSource.destroy();
  return metrics;
}

/** The same drain under each of some limits, in turns, and the ratio of each to the first. */
async function compare(
  name: string,
  limits: readonly QueueLimits[],
  measure: (limits: QueueLimits) => Promise<Drained>,
): Promise<Metrics> {
  const all = limits.map((limit) => ({
    limit: Object.keys(limit)[0] ?? 'none',
    limits: limit,
    drains: [] as Drained[],
  }));
  // The first of all compiles the code.
  await measure({});
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of all) {
      each.drains.push(await measure(each.limits));
    }
  }
  const medianOf = (drains: readonly Drained[], metric: keyof Drained) => median(drains.map((each) => each[metric]));
  const first = all[0]!.drains;
  return Object.fromEntries(
    all.flatMap(({ limit, drains }) => [
      [`${name}, limit ${limit} jobs/s`, medianOf(drains, 'rate')],
      [`${name}, limit ${limit} jobs/s to none`, medianOf(drains, 'rate') / medianOf(first, 'rate')],
      [`${name}, limit ${limit} server CPU µs`, medianOf(drains, 'serverCpu')],
      [`${name}, limit ${limit} server CPU to none`, medianOf(drains, 'serverCpu') / medianOf(first, 'serverCpu')],
    ]),
  );
}

async function storeOfTenants(queue: TableQueue, count: number): Promise<void> {
  for (let from = 0; from < count; from += 5_000) {
    const numbers = Array.from({ length: Math.min(5_000, count - from) }, (_, index) => from + index);
    await queue.enqueueMany(
      numberJob,
      numbers.map((payload) => ({ payload, tenant: `tenant ${payload % TENANTS}` })),
    );
  }
}

/** How long the jobs of new tenants wait behind those of 10,000 tenants at their rate, enqueued here and elsewhere. */
async function behindLimited({ queue, dataSource }: QueueDatabase): Promise<Metrics> {
  await queue.control.limit(numberJob.queue, { ratePerTenant: LOW });
  await storeOfTenants(queue, 2 * TENANTS);
  const worker = new TableQueueWorker(queue, [jobHandler(numberJob, () => undefined)], { concurrency: CONCURRENCY });
  let left = TENANTS;
  const allOnce = new Promise<void>((resolve) => worker.events.on('succeeded', () => --left === 0 && resolve()));
  await worker.start();
  await allOnce;
  const waits = async (enqueue: (tenant: string) => Promise<unknown>) => {
    const times: number[] = [];
    for (let number = 0; number < 20; number++) {
      const started = new Promise<void>((resolve) => worker.events.once('started', () => resolve()));
      const since = performance.now();
      await enqueue(`new ${enqueue.name} ${number}`);
      await started;
      times.push(performance.now() - since);
    }
    return times;
  };
  const here = await waits(async function here(tenant) {
    return queue.enqueue(numberJob, 0, { tenant });
  });
  const elsewhere = await waits(async function elsewhere(tenant) {
    // As another process does: the worker here is not notified.
    await dataSource.query(
      `INSERT INTO tq_job (id, queue, state, lane, position, name, payload, tenant, tenant_lane, created_at, run_at)
       SELECT UNHEX(REPLACE(UUID(), '-', '')), queue, 'ready', CRC32(?), position, name, payload, ?, CRC32(?), created_at, run_at
       FROM tq_job WHERE state = 'ready' LIMIT 1`,
      [tenant, tenant, tenant],
    );
  });
  await worker.stop();
  return {
    'behind limited tenants, enqueued here p50 ms': median(here),
    'behind limited tenants, enqueued elsewhere p50 ms': median(elsewhere),
    'behind limited tenants, enqueued elsewhere worst ms': Math.max(...elsewhere),
  };
}

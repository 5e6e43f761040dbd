import { expect, test } from '@jest/globals';
import { type BulkJob, TableQueue, TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueTenantRate } from '@tablequeue/typeorm/internal';

import { type Engine, SERVER_ENGINES } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { expectAtMost } from '../support/expect-rate.js';
import { observeOperations } from '../support/observe-operations.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const call = defineJob<number>('call', { queue: 'partner' });
const CLAIM = 'claim jobs';
const LANES = 'look for jobs of tenants';

/** Two tenants whose lanes have the same number. */
const SAME_LANE = ['tenant-1dwp-207303', 'tenant-25jh-801682'] as const;

describeEach('workers at a rate limit', (engine) => {
  const bench = useWorkbench(engine);
  const limit = (...args: Parameters<TableQueue['control']['limit']>) => bench.queue.control.limit(...args);
  const enqueue = (count: number, options: Partial<BulkJob<number>> = {}) => {
    const job = { payload: 0, ...options };
    return bench.queue.enqueueMany(
      call,
      Array.from({ length: count }, () => job),
    );
  };
  /** A worker, and the tenants of the jobs that it has started. */
  const startWorker = () => {
    const started: (string | undefined)[] = [];
    const worker = bench.worker([jobHandler(call, (_payload, { tenant }) => void started.push(tenant))]);
    return { worker, started };
  };

  test.each(['rate', 'ratePerTenant'] as const)('start a job as soon as %s has a token', async (name) => {
    // Between two of the polls that a worker at the limit sends anyway.
    const interval = 450;
    await limit('partner', { [name]: { jobs: 1, per: interval } });
    await enqueue(100, { tenant: 'a' });
    const { worker } = startWorker();
    await worker.start();
    let fewest = Infinity;
    // On a busy machine each may be late.
    await waitFor('one was started in time', async () => {
      const times = (await bench.finishedJobs()).map(({ claimedAt }) => claimedAt).sort((a, b) => a - b);
      fewest = Math.min(...times.slice(1).map((time, index) => time - times[index]!));
      return fewest < interval + 100;
    });
    expect(fewest).toBeGreaterThanOrEqual(interval);
  });

  test('send no claims until a tenant has a token, and poll less and less', async () => {
    await limit('partner', { ratePerTenant: { jobs: 1, per: '1d' } });
    await enqueue(50, { tenant: 'a' });
    await enqueue(50, { tenant: 'b' });
    const { worker, started } = startWorker();
    const operations = observeOperations(worker);
    await worker.start();
    await waitFor('both have started', () => started.length === 2);
    operations.length = 0;
    const since = performance.now();
    await waitFor('lanes were polled', () => operations.filter(({ purpose }) => purpose === LANES).length === 5);
    // After 100, 200, 400 and 750 ms.
    expect(performance.now() - since).toBeGreaterThan(1_000);
    expect(operations.filter(({ purpose }) => purpose === CLAIM).length).toBeLessThanOrEqual(1);
    expect(started).toHaveLength(2);
  });

  test('start the jobs of other tenants meanwhile, and those without one, also of other processes', async () => {
    await limit('partner', { ratePerTenant: { jobs: 1, per: '1d' } });
    await enqueue(50, { tenant: 'a' });
    const { worker, started } = startWorker();
    await worker.start();
    await waitFor('one has started', () => started.length === 1);
    await enqueue(1, { tenant: 'b' });
    await waitFor('that of another tenant has started', () => started.length === 2);
    const other = new TableQueue(await bench.database.connect(), { clock: bench.clock });
    await other.enqueue(call, 0, { tenant: 'c' });
    await waitFor('that of another process has started', () => started.length === 3);
    await other.enqueue(call, 0);
    await waitFor('that without a tenant has started', () => started.length === 4);
    expect(started).toEqual(['a', 'b', 'c', undefined]);
  });

  test('go on when the limit is lifted', async () => {
    await limit('partner', { ratePerTenant: { jobs: 1, per: '1d' } });
    await enqueue(50, { tenant: 'a' });
    const { worker, started } = startWorker();
    await worker.start();
    await waitFor('one has started', () => started.length === 1);
    await limit('partner', {});
    await waitFor('all have started', () => started.length === 50);
  });

  test('find a tenant behind another one of the same lane', async () => {
    const [first, second] = SAME_LANE;
    await limit('partner', { ratePerTenant: { jobs: 1, per: '1d' } });
    await enqueue(10, { tenant: first });
    const { worker, started } = startWorker();
    await worker.start();
    await waitFor('one has started', () => started.length === 1);
    await enqueue(1, { tenant: second });
    await waitFor('the other has started', () => started.length === 2);
    expect(started).toEqual([first, second]);
  });

  test('start a thousand jobs a second without a claim for each', async () => {
    await limit('partner', { rate: { jobs: 1_000, per: '1s' } });
    await enqueue(1_000);
    const { worker, started } = startWorker();
    const operations = observeOperations(worker);
    await worker.start();
    await waitFor('all have started', () => started.length === 1_000);
    await waitFor('all have ended', () => bench.isEmpty());
    expectAtMost(await bench.finishedJobs(), { jobs: 1_000, per: 1_000, burst: 101 });
    expect(operations.filter(({ purpose }) => purpose === CLAIM).length).toBeLessThan(200);
  });
});

const TENANTS = 10_000;
const JOBS_OF_LARGE = 100_000;
/** How many rows of indexes one statement of a claim or poll reads at most. */
const MOST_READ = 1_500;

function defineReads(engine: Engine): void {
  const bench = useWorkbench(engine, { isolation: 'database' });

  test('read a bounded number of rows, and find the one tenant that has tokens', async () => {
    await bench.queue.control.limit('partner', { ratePerTenant: { jobs: 1, per: '1d' } });
    const tenants = Array.from({ length: TENANTS }, (_, number) => `tenant ${number}`);
    await bench.queue.enqueueMany(
      call,
      tenants.map((tenant) => ({ payload: 0, tenant })),
    );
    const ofLarge = { payload: 0, tenant: tenants[0] };
    const many = Array.from({ length: 10_000 }, () => ofLarge);
    for (let count = 0; count < JOBS_OF_LARGE; count += many.length) {
      await bench.queue.enqueueMany(call, many);
    }
    await bench.dataSource.query(
      `INSERT INTO tq_tenant_rate (queue, lane, tenant, full_at)
       SELECT DISTINCT queue, lane, tenant, ? FROM tq_job WHERE state = 'ready'`,
      [(Date.now() + 80_000_000) * 1_000],
    );
    expect(await bench.dataSource.getRepository(TableQueueTenantRate).count()).toBe(TENANTS);
    const started: (string | undefined)[] = [];
    const worker: TableQueueWorker = bench.worker([
      jobHandler(call, (_payload, { tenant }) => void started.push(tenant)),
    ]);
    const operations = observeOperations(worker, { countReads: true });
    await worker.start();
    await waitFor(
      'all lanes were polled',
      () => operations.filter(({ purpose }) => purpose === LANES).length > 60,
      120_000,
    );
    expect(started).toEqual([]);
    operations.length = 0;
    const other = new TableQueue(await bench.database.connect(), { clock: bench.clock });
    await other.enqueue(call, 0, { tenant: 'free' });
    await waitFor('that of the other tenant has started', () => started.length === 1, 60_000);
    expect(started).toEqual(['free']);
    const reads = (wanted: string) => operations.filter(({ purpose }) => purpose === wanted).map(({ read }) => read!);
    expect(reads(CLAIM).length).toBeGreaterThan(0);
    expect(Math.max(...reads(CLAIM), ...reads(LANES))).toBeLessThan(MOST_READ);
    // One round of all lanes, and perhaps the rest of the one that was under way.
    expect(reads(LANES).length).toBeLessThan((2 * TENANTS) / 200 + 5);
  }, 240_000);
}

describeEach('workers behind ten thousand tenants at their limit', defineReads, SERVER_ENGINES);

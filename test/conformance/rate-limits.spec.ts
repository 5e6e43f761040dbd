import { beforeEach, expect, test } from '@jest/globals';
import {
  type BulkJob,
  type JobHandler,
  type QueueLimits,
  type RateLimit,
  SnoozeJobError,
  batchHandler,
  defineJob,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';
import { Pruner, TableQueueQueueRow, TableQueueTenantRate } from '@tablequeue/typeorm/internal';
import { TestingQueue } from '@tablequeue/typeorm/testing';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const call = defineJob<string>('call', { queue: 'partner' });
const retried = defineJob('retried', { queue: 'partner', retry: { attempts: 3, backoff: fixed('1s') } });

/** Two tenants whose lanes have the same number. */
const SAME_LANE = ['tenant-1dwp-207303', 'tenant-25jh-801682'] as const;

describeEach('rate limits', (engine) => {
  const bench = useWorkbench(engine);
  /** The tenants of the jobs that have started, in order. */
  let started: (string | undefined)[] = [];
  beforeEach(() => {
    started = [];
  });

  const handler = jobHandler(call, (_payload, { tenant }) => void started.push(tenant));
  /** Starts what may start now. Returns how many jobs have started. */
  const drain = async (...others: JobHandler[]) => {
    const before = started.length;
    await new TestingQueue(bench.queue, [handler, ...others], { logger: bench.logger }).drain({ failures: 'return' });
    return started.length - before;
  };
  const limit = (limits: QueueLimits) => bench.queue.control.limit('partner', limits);
  const enqueue = (count: number, options: Partial<BulkJob<string>> = {}) => {
    const job = { payload: '', ...options };
    return bench.queue.enqueueMany(
      call,
      Array.from({ length: count }, () => job),
    );
  };
  const fullAt = async () => (await bench.rows(TableQueueQueueRow))[0]!.rateFullAt;
  const ofEach = (): Record<string, number> =>
    Object.fromEntries([...new Set(started)].map((each) => [each, started.filter((one) => one === each).length]));

  /** The same limit of the queue, and of a tenant. */
  const scopes = [
    { scope: 'queue', limits: (rate: RateLimit): QueueLimits => ({ rate }), options: {} },
    {
      scope: 'tenant',
      limits: (ratePerTenant: RateLimit): QueueLimits => ({ ratePerTenant }),
      options: { tenant: 'a' },
    },
  ];

  test.each(scopes)('of a $scope let a burst start at once, then one job each time', async ({ limits, options }) => {
    await limit(limits({ jobs: 4, per: '1h', burst: 3 }));
    await enqueue(20, options);
    expect(await drain()).toBe(3);
    bench.clock.advance('14m');
    expect(await drain()).toBe(0);
    bench.clock.advance('1m');
    expect(await drain()).toBe(1);
    bench.clock.advance('30m');
    expect(await drain()).toBe(2);
    bench.clock.advance('20h');
    expect(await drain()).toBe(3);
  });

  test.each(scopes)('of a $scope without a burst start no more jobs in any window', async ({ limits, options }) => {
    await limit(limits({ jobs: 4, per: '1h' }));
    await enqueue(40, options);
    const starts: number[] = [];
    for (let minute = 0; minute < 180; minute += 5) {
      starts.push(...Array<number>(await drain()).fill(minute));
      bench.clock.advance('5m');
    }
    expect(starts).toHaveLength(12);
    for (const from of starts) {
      expect(starts.filter((at) => at >= from && at < from + 60).length).toBeLessThanOrEqual(4);
    }
  });

  test.each(scopes)('of a $scope that are set again grant no second burst', async ({ limits, options }) => {
    await enqueue(20, options);
    for (const expected of [3, 0, 0]) {
      await limit(limits({ jobs: 1, per: '1h', burst: 3 }));
      expect(await drain()).toBe(expected);
    }
  });

  test('of a queue that is taken away and set again grants no second burst', async () => {
    await enqueue(20);
    await limit({ rate: { jobs: 1, per: '1h' } });
    expect(await drain()).toBe(1);
    // Another limit, under which jobs start without a rate.
    await limit({ concurrencyPerTenant: 1 });
    expect(await drain()).toBe(19);
    await enqueue(1);
    await limit({ rate: { jobs: 1, per: '1h' } });
    expect(await drain()).toBe(0);
    bench.clock.advance('1h');
    expect(await drain()).toBe(1);
  });

  test.each(scopes)('of a $scope follow a change in the next claim', async ({ limits, options }) => {
    await enqueue(100, options);
    await limit(limits({ jobs: 1, per: '1d' }));
    expect(await drain()).toBe(1);
    bench.clock.advance('1h');
    expect(await drain()).toBe(0);
    // From tiny to large: the bucket is empty, and fills at the new rate.
    await limit(limits({ jobs: 20, per: '1h', burst: 20 }));
    expect(await drain()).toBe(0);
    bench.clock.advance('1h');
    expect(await drain()).toBe(20);
    // And back.
    await limit(limits({ jobs: 1, per: '1d' }));
    expect(await drain()).toBe(0);
    bench.clock.advance('1h');
    expect(await drain()).toBe(1);
    bench.clock.advance('12h');
    expect(await drain()).toBe(0);
    bench.clock.advance('12h');
    expect(await drain()).toBe(1);
    await limit({});
    await drain();
    expect(started).toHaveLength(100);
  });

  test('of tenants hold for each one, and not for jobs without a tenant', async () => {
    await limit({ ratePerTenant: { jobs: 1, per: '1h', burst: 2 } });
    await enqueue(5, { tenant: 'a' });
    await enqueue(1, { tenant: 'b' });
    await enqueue(5, { tenant: 'c' });
    await enqueue(4);
    await drain();
    expect(ofEach()).toEqual({ a: 2, b: 1, c: 2, undefined: 4 });
    bench.clock.advance('1h');
    await drain();
    expect(ofEach()).toEqual({ a: 3, b: 1, c: 3, undefined: 4 });
  });

  test('of a queue and of its tenants hold together', async () => {
    await limit({ rate: { jobs: 6, per: '1h', burst: 6 }, ratePerTenant: { jobs: 2, per: '1h', burst: 2 } });
    for (const tenant of ['a', 'b', 'c', 'd']) {
      await enqueue(5, { tenant });
    }
    expect(await drain()).toBe(6);
    expect(Object.values(ofEach()).every((count) => count <= 2)).toBe(true);
    bench.clock.advance('1h');
    expect(await drain()).toBe(6);
    expect(Object.values(ofEach()).every((count) => count <= 4)).toBe(true);
  });

  test('hold together with the limits of running jobs', async () => {
    await limit({ concurrencyPerTenant: 1, ratePerTenant: { jobs: 1, per: '1h', burst: 2 } });
    await enqueue(5, { tenant: 'a' });
    await enqueue(5, { tenant: 'b' });
    await drain();
    expect(ofEach()).toEqual({ a: 2, b: 2 });
  });

  test('hold for each tenant with an odd name', async () => {
    const tenants = [
      'a',
      'A',
      ' a',
      'a b',
      'ä',
      'a\u0308',
      "o'hara",
      '%',
      '_',
      '\u{1F600}',
      'x'.repeat(191),
      'null',
      '0',
    ];
    await limit({ concurrencyPerTenant: 1, ratePerTenant: { jobs: 1, per: '1h' } });
    for (const tenant of tenants) {
      await enqueue(2, { tenant });
    }
    await drain();
    expect(ofEach()).toEqual(Object.fromEntries(tenants.map((tenant) => [tenant, 1])));
    bench.clock.advance('1h');
    await drain();
    expect(ofEach()).toEqual(Object.fromEntries(tenants.map((tenant) => [tenant, 2])));
  });

  test('are not shared by two tenants that share a lane', async () => {
    const [first, second] = SAME_LANE;
    await limit({ ratePerTenant: { jobs: 1, per: '1h' } });
    await enqueue(6, { tenant: first });
    await enqueue(6, { tenant: second });
    await drain();
    expect(ofEach()).toEqual({ [first]: 1, [second]: 1 });
  });

  test.each(scopes)('of a $scope count each job of a batch', async ({ limits, options }) => {
    const many = defineJob<number>('many', { queue: 'partner' });
    const sizes: number[] = [];
    await limit(limits({ jobs: 1, per: '1h', burst: 3 }));
    await bench.queue.enqueueMany(
      many,
      Array.from({ length: 8 }, (_, payload) => ({ payload, ...options })),
    );
    const batch = batchHandler(many, (jobs) => void sizes.push(jobs.length), { size: 5 });
    await drain(batch);
    bench.clock.advance('2h');
    await drain(batch);
    expect(sizes).toEqual([3, 2]);
  });

  test.each(scopes)('of a $scope count each attempt', async ({ limits, options }) => {
    let attempts = 0;
    await limit(limits({ jobs: 1, per: '1h', burst: 2 }));
    await bench.queue.enqueue(retried, undefined, options);
    const failing = jobHandler(retried, () => {
      attempts++;
      throw attempts === 1 ? new SnoozeJobError('1s') : new Error('again');
    });
    for (const expected of [1, 2, 2]) {
      await drain(failing);
      expect(attempts).toBe(expected);
      bench.clock.advance('1m');
    }
    bench.clock.advance('1h');
    await drain(failing);
    expect(attempts).toBe(3);
  });

  test('count a durable job again when it resumes, and hold for ordered jobs', async () => {
    const durable = defineJob('durable', { queue: 'partner' });
    const ordered = defineJob<number>('ordered', { queue: 'partner', order: { by: () => 'one' } });
    const ran: string[] = [];
    const handlers = [
      jobHandler(durable, async (_payload, job) => {
        ran.push('durable');
        await job.sleep('1s');
        ran.push('resumed');
      }),
      jobHandler(ordered, (number) => void ran.push(`ordered ${number}`)),
    ];
    await limit({ ratePerTenant: { jobs: 1, per: '1h' } });
    await bench.queue.enqueue(durable, undefined, { tenant: 'a' });
    await bench.queue.enqueueMany(ordered, [
      { payload: 1, tenant: 'b' },
      { payload: 2, tenant: 'b' },
    ]);
    await drain(...handlers);
    expect(ran.sort()).toEqual(['durable', 'ordered 1']);
    bench.clock.advance('1m');
    await drain(...handlers);
    expect(ran).toHaveLength(2);
    bench.clock.advance('1h');
    await drain(...handlers);
    expect(ran.slice(2)).toEqual(expect.arrayContaining(['resumed', 'ordered 2']));
  });

  test('have no row of a tenant that has all its tokens, after pruning', async () => {
    await limit({ ratePerTenant: { jobs: 1, per: '1h', burst: 2 } });
    await enqueue(1, { tenant: 'one' });
    await enqueue(2, { tenant: 'two' });
    await drain();
    const pruner = new Pruner(bench.queue.engine, false);
    const kept = async () => {
      await pruner.runOnce();
      return (await bench.rows(TableQueueTenantRate)).map(({ tenant }) => tenant).sort();
    };
    expect(await kept()).toEqual(['one', 'two']);
    bench.clock.advance('1h');
    expect(await kept()).toEqual(['two']);
    bench.clock.advance('1h');
    expect(await kept()).toEqual([]);
  });

  test('prune the rows of many tenants and queues', async () => {
    const tenants = Array.from({ length: 1_000 }, (_, number) => `tenant ${number}`);
    await limit({ ratePerTenant: { jobs: 1, per: '1h' } });
    const rows = tenants.map((tenant, number) => ({ queue: number % 2 ? 'partner' : 'other', lane: number, tenant }));
    await bench.dataSource.getRepository(TableQueueTenantRate).insert(rows.map((row) => ({ ...row, fullAt: 1 })));
    await new Pruner(bench.queue.engine, false).runOnce();
    expect(await bench.rows(TableQueueTenantRate)).toEqual([]);
  });

  test('take no token without a job, and none of a claim that is rolled back', async () => {
    await limit({ rate: { jobs: 1, per: '1h' }, ratePerTenant: { jobs: 1, per: '1h' } });
    await enqueue(2, { tenant: 'a' });
    const { engine: executing } = bench.queue;
    const original = executing.execute.bind(executing);
    let failures = 0;
    // The claim fails before its commit.
    executing.execute = (factory, options) =>
      original(function* (dialect, again) {
        const result = yield* factory(dialect, again);
        if (options.purpose === 'claim jobs') {
          failures++;
          throw new Error('rolled back');
        }
        return result;
      }, options);
    try {
      await expect(drain()).rejects.toThrow('rolled back');
    } finally {
      executing.execute = original;
    }
    expect(failures).toBe(1);
    expect(await fullAt()).toBeLessThanOrEqual(1);
    expect(await bench.rows(TableQueueTenantRate)).toEqual([]);
    expect(await drain()).toBe(1);
    const used = await fullAt();
    expect(await drain()).toBe(0);
    expect(await fullAt()).toBe(used);
  });
});

import { describe, expect, test } from '@jest/globals';
import { type BulkJob, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const render = defineJob('render', { queue: 'render' });

/** Two tenants whose lanes have the same number, 533152025. */
const SAME_LANE = ['tenant-1dwp-207303', 'tenant-25jh-801682'] as const;

describeEach('limits of tenants', (engine) => {
  const bench = useWorkbench(engine);

  const enqueue = (count: number, options: BulkJob<void> = {}) =>
    bench.queue.enqueueMany(
      render,
      Array.from({ length: count }, () => options),
    );
  const limit = (concurrencyPerTenant?: number, concurrency?: number) => {
    return bench.queue.control.limit('render', {
      ...(concurrencyPerTenant && { concurrencyPerTenant }),
      ...(concurrency && { concurrency }),
    });
  };
  /** How many jobs of each tenant run, as the database has it. */
  const running = async () => {
    const jobs = (await bench.liveJobs()).filter(({ state }) => state === 'running');
    const counts: Record<string, number> = {};
    jobs.forEach(({ tenant }) => (counts[tenant ?? 'none'] = (counts[tenant ?? 'none'] ?? 0) + 1));
    return counts;
  };

  const strategies = engine === 'sqlite' ? (['auto'] as const) : (['auto', 'compare-and-set', 'named-lock'] as const);
  describe.each(strategies)('claimed by %s', (claimStrategy) => {
    test('hold over all workers, and are used up', async () => {
      await limit(2);
      await enqueue(6, { tenant: 'a' });
      await enqueue(6, { tenant: 'b' });
      await enqueue(1, { tenant: 'c' });
      const { runs, handler } = heldHandler(render);
      const options = { concurrency: 10, claimStrategy, shutdownTimeout: 0 };
      await Promise.all([bench.work([handler], options), bench.work([handler], options)]);
      await waitFor('all have what they may', () => runs.length === 5);
      let ended = 0;
      while (ended < 13) {
        const next = ended + 1;
        runs[ended++]!.end();
        await waitFor('the next begins', () => runs.length >= Math.min(13, next + 4) || runs.length === 13);
        const counts = await running();
        expect(Math.max(0, ...Object.values(counts))).toBeLessThanOrEqual(2);
      }
      await waitFor('all have ended', async () => (await bench.countFinished()) === 13);
    });
  });

  test('do not apply to jobs without a tenant', async () => {
    await limit(1);
    await enqueue(3, { tenant: 'a' });
    await enqueue(8);
    const { runs, handler } = heldHandler(render);
    await bench.work([handler], { concurrency: 20, shutdownTimeout: 0 });
    await waitFor('all that may run', () => runs.length === 9);
    expect(await running()).toEqual({ a: 1, none: 8 });
  });

  test('hold together with the limit of the queue', async () => {
    await limit(2, 3);
    for (const tenant of ['a', 'b', 'c']) {
      await enqueue(4, { tenant });
    }
    let most = 0;
    let mostOfOne = 0;
    let done = 0;
    const handler = jobHandler(render, async () => {
      const counts = Object.values(await running());
      most = Math.max(
        most,
        counts.reduce((a, b) => a + b, 0),
      );
      mostOfOne = Math.max(mostOfOne, ...counts);
      done++;
    });
    await Promise.all([0, 1, 2].map(() => bench.work([handler])));
    await waitFor('all have run', () => done === 12);
    expect(most).toBeLessThanOrEqual(3);
    expect(mostOfOne).toBeLessThanOrEqual(2);
  });

  test('are followed when they change, and when they are lifted', async () => {
    await limit(1);
    await enqueue(8, { tenant: 'a' });
    const { runs, handler } = heldHandler(render);
    await bench.work([handler], { concurrency: 20, shutdownTimeout: 0 });
    await waitFor('one runs', () => runs.length === 1);
    await limit(3);
    await waitFor('three run', () => runs.length === 3);
    await limit();
    await waitFor('all run', () => runs.length === 8);
  });

  test('of a tenant at its limit do not block other tenants, now or later', async () => {
    await limit(1);
    await enqueue(500, { tenant: 'full' });
    const { runs, handler } = heldHandler(render);
    await bench.work([handler], { concurrency: 20, shutdownTimeout: 0 });
    await waitFor('it is full', () => runs.length === 1);
    await enqueue(2, { tenant: 'late' });
    await waitFor('the other runs', () => runs.length === 2);
    await bench.queue.enqueue(render);
    await waitFor('so does one without a tenant', () => runs.length === 3);
    expect(await running()).toEqual({ full: 1, late: 1, none: 1 });
  });

  test('apply to each tenant, also where two share a lane', async () => {
    const [first, second] = SAME_LANE;
    await limit(2);
    await enqueue(6, { tenant: first });
    await enqueue(6, { tenant: second });
    expect(new Set((await bench.liveJobs()).map(({ lane }) => lane))).toEqual(new Set([533152025]));
    const { runs, handler } = heldHandler(render);
    await bench.work([handler], { concurrency: 20, shutdownTimeout: 0 });
    await waitFor('both have what they may', () => runs.length === 4);
    expect(await running()).toEqual({ [first]: 2, [second]: 2 });
    runs.find(({ job }) => job.tenant === second)!.end();
    await waitFor('the next runs', () => runs.length === 5);
    expect(runs[4]!.job.tenant).toBe(second);
  });
});

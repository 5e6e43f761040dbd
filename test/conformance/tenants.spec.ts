import { describe, expect, test } from '@jest/globals';
import {
  type BulkJob,
  InvalidNameError,
  InvalidOptionError,
  type JobContext,
  type WorkerOptions,
  defineJob,
  fixed,
  jobHandler,
} from '@tablequeue/typeorm';
import { Reaper, Retrier } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const render = defineJob('render', { queue: 'render', retry: { attempts: 2, backoff: fixed('1h') } });

describeEach('tenants', (engine) => {
  const bench = useWorkbench(engine);

  const enqueue = (count: number, options: BulkJob<void> = {}) =>
    bench.queue.enqueueMany(
      render,
      Array.from({ length: count }, () => options),
    );

  /** Runs the enqueued jobs and returns the order of their starts. */
  async function orderOf(jobs: number, options: WorkerOptions): Promise<JobContext[]> {
    const order: JobContext[] = [];
    await bench.work([jobHandler(render, (_payload, job) => void order.push(job))], options);
    await waitFor('all have run', () => order.length === jobs);
    return order;
  }

  const strategies = engine === 'sqlite' ? (['auto'] as const) : (['auto', 'compare-and-set', 'named-lock'] as const);
  describe.each(strategies)('claimed by %s', (claimStrategy) => {
    test.each([1, 10])('are claimed by round robin, with a concurrency of %d', async (concurrency) => {
      await enqueue(6, { tenant: 'one' });
      await enqueue(6, { tenant: 'two' });
      await enqueue(6, { tenant: 'three' });
      await enqueue(6);
      const order = await orderOf(24, { concurrency, claimStrategy });
      const tenants = order.map(({ tenant }) => tenant);
      expect(new Set(tenants.slice(0, 4)).size).toBe(4);
      // Again and again the same four in the same order, and each tenant's own in the order they were stored in.
      expect(tenants).toEqual(tenants.map((_tenant, index) => tenants[index % 4]));
      const own = order.filter(({ tenant }) => tenant === 'one').map(({ id }) => id);
      expect(own).toEqual([...own].sort());
      expect((await bench.finishedJobs()).every(({ attempt, state }) => attempt === 1 && state === 'succeeded')).toBe(
        true,
      );
    });
  });

  if (engine !== 'sqlite') {
    test('the reaper and the retrier do not read their lanes', async () => {
      await bench.queue.enqueueMany(
        render,
        Array.from({ length: 600 }, (_, job) => (job % 2 ? { tenant: String(job) } : { delay: '1h' })),
      );
      const maintenance = [new Reaper(bench.queue.engine), new Retrier(bench.queue.engine)];
      const reads = async () => {
        const rows = (await bench.dataSource.query(
          "SHOW GLOBAL STATUS WHERE Variable_name IN ('Handler_read_key', 'Handler_read_next')",
        )) as { Value: string }[];
        return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
      };
      for (const service of maintenance) {
        let fewest = Infinity;
        // Of the whole server: another test may read something meanwhile.
        await waitFor('one has read little', async () => {
          const before = await reads();
          await service.runOnce();
          fewest = Math.min(fewest, (await reads()) - before);
          return fewest < 250;
        });
      }
    });
  }

  test('one with many jobs delays a later job of another tenant by one round at most', async () => {
    await enqueue(500, { tenant: 'large' });
    const { runs, handler } = heldHandler(render);
    await bench.work([handler], { concurrency: 2, shutdownTimeout: 0 });
    await waitFor('the large one has all slots', () => runs.length === 2);
    await enqueue(1, { tenant: 'small' });
    runs[0]!.end();
    runs[1]!.end();
    await waitFor('two more run', () => runs.length === 4);
    expect(runs.slice(2).map(({ job }) => job.tenant)).toContain('small');
    runs.slice(2).forEach(({ end }) => end());
  });

  test('slots that tenants without jobs do not use go to tenants with jobs', async () => {
    await enqueue(1, { tenant: 'a' });
    await enqueue(30, { tenant: 'b' });
    await enqueue(2, { tenant: 'c' });
    const { runs, handler } = heldHandler(render);
    await bench.work([handler], { concurrency: 20, shutdownTimeout: 0 });
    await waitFor('all slots are taken', () => runs.length === 20);
    const tenants = runs.map(({ job }) => job.tenant);
    expect(new Set(tenants.slice(0, 3))).toEqual(new Set(['a', 'b', 'c']));
    expect(tenants.filter((tenant) => tenant === 'b')).toHaveLength(17);
  });

  test('priorities order the jobs of one tenant; the round robin orders tenants', async () => {
    await enqueue(2, { tenant: 'a', priority: 5 });
    await enqueue(2, { tenant: 'b', priority: 0 });
    await enqueue(2, { tenant: 'a', priority: -5 });
    const order = await orderOf(6, { concurrency: 1 });
    const ofA = await Promise.all(
      order.filter(({ tenant }) => tenant === 'a').map(async ({ id }) => (await bench.queue.find(id))?.priority),
    );
    expect(ofA).toEqual([-5, -5, 5, 5]);
    expect(new Set(order.slice(0, 2).map(({ tenant }) => tenant)).size).toBe(2);
  });

  test('a job keeps its lane when it is delayed, retried, returned, reaped, retried by hand and replaced', async () => {
    const lanes = async () => {
      return (await bench.liveJobs()).map(({ state, owner, lane, tenant, tenantLane }) => {
        const place = lane === 0 ? '' : lane === tenantLane ? ' in it' : lane === owner ? ' and a worker' : ' astray';
        return `${state} of ${tenant ?? 'no tenant'}${tenantLane > 0 ? ' with a lane' : ''}${place}`;
      });
    };
    const claimed = async (options?: WorkerOptions) => {
      const { runs, handler } = heldHandler(render);
      const worker = await bench.work([handler], { shutdownTimeout: 0, ...options });
      await waitFor('it runs', () => runs.length === 1);
      expect(await lanes()).toEqual(['running of a with a lane and a worker']);
      return { worker, run: runs[0]! };
    };
    const [job] = await enqueue(1, { tenant: 'a', delay: '1h' });
    expect(await lanes()).toEqual(['scheduled of a with a lane']);
    bench.clock.advance('1h');
    const first = await claimed();
    first.run.fail(new Error('again'));
    await waitFor('it is rescheduled', async () => (await lanes())[0] === 'scheduled of a with a lane');
    await bench.stopWorkers();
    bench.clock.advance('1h');
    expect(await new Retrier(bench.queue.engine).runOnce()).toMatchObject({ promoted: 1 });
    expect(await lanes()).toEqual(['ready of a with a lane in it']);
    await claimed();
    await bench.stopWorkers();
    expect(await lanes()).toEqual(['ready of a with a lane in it']);
    const dead = await claimed({ lease: '30s' });
    await dead.worker.stopClaiming();
    bench.clock.advance('31s');
    expect(await new Reaper(bench.queue.engine).runOnce()).toMatchObject({ returned: 1 });
    expect(await lanes()).toEqual(['ready of a with a lane in it']);
    dead.run.end();
    await bench.stopWorkers();
    await bench.queue.cancel(job!.id);
    expect(await bench.finishedJobs()).toMatchObject([{ state: 'cancelled', tenant: 'a' }]);
    expect(await bench.queue.failed.retry(job!.id)).toBe(true);
    expect(await lanes()).toEqual(['ready of a with a lane in it']);
    expect(await bench.queue.find(job!.id)).toMatchObject({ state: 'ready', tenant: 'a' });
    await bench.queue.cancel(job!.id);

    const unique = { key: 'k', while: 'queued', onConflict: 'replace' } as const;
    await enqueue(1, { tenant: 'a', unique });
    await enqueue(1, { tenant: 'b', unique });
    expect(await lanes()).toEqual(['ready of b with a lane in it']);
    await enqueue(1, { unique });
    expect(await lanes()).toEqual(['ready of no tenant']);
    await enqueue(1, { tenant: 'a', unique, runAt: new Date(Date.now() + 1e9) });
    expect(await lanes()).toEqual(['scheduled of a with a lane']);
  });

  test('the tenant is set by the payload or the options; handlers, look-ups and finished jobs contain it', async () => {
    const bill = defineJob<{ customer?: string; fails?: boolean }>('bill', {
      retry: { attempts: 1 },
      tenant: ({ customer }) => customer,
    });
    const seen: (string | undefined)[] = [];
    const made = await bench.queue.enqueueMany(bill, [
      { payload: { customer: 'acme' } },
      { payload: { customer: 'acme', fails: true } },
      { payload: { customer: 'acme' }, tenant: 'other' },
      { payload: {} },
    ]);
    expect((await bench.queue.find(made[0]!.id))?.tenant).toBe('acme');
    await bench.work([
      jobHandler(bill, ({ fails }, { tenant }) => {
        seen.push(tenant);
        if (fails) {
          throw new Error('fails');
        }
      }),
    ]);
    await waitFor('all have ended', async () => (await bench.countFinished()) === 4);
    const counted = (tenants: readonly unknown[]) => [...tenants].map(String).sort().join();
    expect(counted(seen)).toBe('acme,acme,other,undefined');
    expect(counted((await bench.finishedJobs()).map(({ tenant }) => tenant))).toBe('acme,acme,null,other');
    expect(await bench.queue.failed.retryMany({})).toEqual({ retried: 1, conflicts: 0 });
    await waitFor('it runs again', () => seen.length === 5);
    await bench.queue.recurring.set('nightly', bill, { customer: 'acme' }, { every: '1h' });
    expect(await bench.queue.recurring.list()).toMatchObject([{ name: 'nightly', tenant: 'acme' }]);
    await bench.queue.recurring.fireNow('nightly');
    await waitFor('the schedule has fired', () => seen.length === 6);
    expect(seen.slice(4)).toEqual(['acme', 'acme']);
  });

  test('jobs of tenants are counted and cancelled as all others', async () => {
    await enqueue(3, { tenant: 'a' });
    await enqueue(2, { tenant: 'b' });
    await enqueue(1);
    expect(await bench.queue.counts()).toMatchObject([{ queue: 'render', ready: { count: 6 } }]);
    expect(await bench.queue.cancelMany({ queue: 'render' })).toEqual({ cancelled: 6, requested: 0 });
  });

  test('an invalid tenant is rejected', async () => {
    await expect(bench.queue.enqueue(render, undefined, { tenant: '' })).rejects.toThrow(InvalidNameError);
    await expect(enqueue(1, { tenant: 'x'.repeat(192) })).rejects.toThrow(/not a valid tenant.*1 to 191/);
    const odd = defineJob<{ id: number }>('odd', { tenant: ({ id }) => id as never });
    await expect(bench.queue.enqueue(odd, { id: 1 })).rejects.toThrow(/1 is not a valid tenant/);
    expect(() => defineJob('bad', { tenant: 'a' as never })).toThrow(InvalidOptionError);
    expect(await bench.liveJobs()).toEqual([]);
  });
});

import { expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';

import { SERVER_ENGINES } from '../servers/engines.js';
import { strategiesOf } from '../support/claim-strategies.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const code = defineJob<number>('code', { queue: 'codes', expiresIn: '1m' });
const plain = defineJob<number>('plain', { queue: 'codes' });

describeEach('expired jobs in front of another', (engine) => {
  const bench = useWorkbench(engine);

  /** Runs a job behind expired ones, and returns when these have ended by then, in ms, by the database's clock. */
  const runBehind = async (expired: number, tenant?: string) => {
    const jobs = Array.from({ length: expired }, () => ({ payload: 0, ...(tenant && { tenant }) }));
    await bench.queue.enqueueMany(code, jobs);
    bench.clock.advance('1m');
    const { id } = await bench.queue.enqueue(plain, 1, { ...(tenant && { tenant }) });
    await bench.work([jobHandler(code, () => undefined), jobHandler(plain, () => undefined)]);
    await bench.untilJobIs(id, 'succeeded');
    const ended = (await bench.finishedJobs()).filter(({ state }) => state === 'expired');
    return ended.map(({ finishedAt }) => finishedAt).sort((a, b) => a - b);
  };

  test('take no tokens of the rate: the claims that meet them are not throttled', async () => {
    await bench.queue.control.limit('codes', { rate: { jobs: 1, per: '10s' } });
    const times = [...new Set(await runBehind(2_000))];
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    // The last ones may end while it runs.
    expect(times.length).toBeGreaterThanOrEqual(4);
    // A throttled worker pauses for 750 ms after each claim.
    expect(Math.min(...gaps)).toBeLessThan(700);
  });

  test.each([{ concurrencyPerTenant: 1 }, { ratePerTenant: { jobs: 1, per: '10s' } }] as const)(
    'take no capacity of their tenant: one claim ends them all (%j)',
    async (limits) => {
      await bench.queue.control.limit('codes', limits);
      const times = await runBehind(30, 'a');
      expect(times).toHaveLength(30);
      expect(new Set(times).size).toBe(1);
    },
  );
});

describeEach(
  'an expired job that an open transaction has locked',
  (engine) => {
    const bench = useWorkbench(engine);
    const unique = { key: 'k', while: 'unfinished' } as const;

    test.each(strategiesOf(engine).flatMap((strategy) => ['key', 'row'].map((what) => [strategy, what] as const)))(
      'does not stop claims by %s from the job behind it: its %s',
      async (claimStrategy, what) => {
        const expired = await bench.queue.enqueue(code, 1, { unique });
        bench.clock.advance('1m');
        const behind = await bench.queue.enqueue(plain, 2);
        await bench.dataSource.transaction(async (manager) => {
          const id = expired.id.replaceAll('-', '');
          const [table, column] = what === 'key' ? ['tq_unique', 'job_id'] : ['tq_job', 'id'];
          await manager.query(`SELECT ${column} FROM ${table} WHERE ${column} = UNHEX(?) FOR UPDATE`, [id]);
          const handlers = [jobHandler(code, () => undefined), jobHandler(plain, () => undefined)];
          await bench.work(handlers, { claimStrategy, concurrency: 1 });
          await bench.untilJobIs(behind.id, 'succeeded');
          expect(await bench.queue.find(expired.id)).toMatchObject({ state: 'ready' });
        });
        await bench.untilJobIs(expired.id, 'expired');
        expect(bench.logger.lines).toEqual([]);
      },
    );

    test('and that it replaces does not stop the reaper, even if there are hundreds of them', async () => {
      const jobs = Array.from({ length: 401 }, (_, number) => ({
        payload: 0,
        unique: { key: `key ${number}`, while: 'unfinished', onConflict: 'replace' } as const,
      }));
      await bench.queue.control.pause('codes');
      await bench.queue.enqueueMany(code, jobs);
      bench.clock.advance('1s');
      const other = await bench.queue.enqueue(code, 1);
      bench.clock.advance('1m');
      const { reaper } = await bench.work([jobHandler(plain, () => undefined)]);
      await bench.dataSource.transaction(async (manager) => {
        const replaced = await bench.queue.enqueueMany(code, jobs, { manager });
        expect(replaced.every((job) => job.replaced)).toBe(true);
        expect(await reaper.runOnce()).toMatchObject({ expired: 1 });
        expect(await bench.queue.find(other.id)).toMatchObject({ state: 'expired' });
      });
      expect(await reaper.runOnce()).toMatchObject({ expired: 0 });
      bench.clock.advance('1m');
      let expired = 0;
      // Without SKIP LOCKED, it tries rows again after some seconds.
      await waitFor('the others have expired', async () => (expired += (await reaper.runOnce()).expired) === 401);
    });
  },
  SERVER_ENGINES,
);

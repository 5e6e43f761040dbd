import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import {
  TableQueue,
  TableQueueJob,
  TableQueueWorker,
  type WorkerOptions,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import { Reaper, TableQueueExpiry } from '@tablequeue/typeorm/internal';

import { strategiesOf } from '../support/claim-strategies.js';
import { describeOnOlderToo } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

/** How many jobs expire or start, and the longest time until they expire, in ms. */
const JOBS = Number(process.env.TABLEQUEUE_EXPIRING ?? 2_000);
const LONGEST = 60_000;
const BATCH = 50;

const code = defineJob<number>('code');

describeOnOlderToo('claims beside two reapers', (engine) => {
  const bench = useWorkbench(engine);
  const strategies = engine === 'sqlite' ? (['auto'] as const) : strategiesOf(engine);

  const work = async (claimStrategy: NonNullable<WorkerOptions['claimStrategy']>) => {
    const runs = new Map<string, number>();
    const handler = jobHandler(code, async (_number, { id }) => {
      runs.set(id, (runs.get(id) ?? 0) + 1);
      await sleep(Math.random() * 5);
    });
    const options = { concurrency: 5, claimStrategy, logger: bench.logger };
    await bench.work([handler], options);
    const other = new TableQueue(await bench.database.connect(), { clock: bench.clock });
    const beside = new TableQueueWorker(other, [handler], { ...options, maintenance: false, pollInterval: '50ms' });
    await beside.start();

    const over = new AbortController();
    let expired = 0;
    const reap = async ({ engine: own }: TableQueue) => {
      const reaper = new Reaper(own);
      while (!over.signal.aborted) {
        expired += (await reaper.runOnce()).expired;
        await sleep(Math.random() * 20);
      }
    };
    const reaping = [reap(bench.queue), reap(other)];
    for (let number = 0; number < JOBS; number += BATCH) {
      await bench.queue.enqueueMany(
        code,
        Array.from({ length: BATCH }, (_, index) => ({
          payload: number + index,
          // As many below 60 ms as above 1 s: however fast the machine is, some expire, some run, and some are raced for.
          expiresIn: Math.ceil(LONGEST ** Math.random()),
          ...(index % 3 === 0 && { tenant: `tenant ${index % 5}` }),
          ...(index % 10 === 0 && { unique: { key: `key ${number + index}` } }),
        })),
      );
    }
    await waitFor('all jobs have ended', () => bench.isEmpty(), 60_000);
    over.abort();
    await Promise.all([...reaping, beside.stop(), bench.stopWorkers()]);
    return { runs, expired };
  };

  test.each(strategies)(
    'each job either runs or expires, by %s, and each starts before its expiry time',
    async (strategy) => {
      const { runs, expired } = await work(strategy);
      const jobs = await bench.rows(TableQueueJob);
      expect(jobs).toHaveLength(JOBS);
      for (const { id, state, attempt, claimedAt, expiresAt } of jobs) {
        const calls = runs.get(id) ?? 0;
        expect({ id, state, attempt, calls }).toEqual(
          state === 'expired' ? { id, state, attempt: 0, calls: 0 } : { id, state: 'succeeded', attempt: 1, calls: 1 },
        );
        expect(state === 'expired' || claimedAt < expiresAt!).toBe(true);
      }
      const late = jobs.filter(({ state }) => state === 'expired').length;
      // Both happen, and the claims end some of the expired jobs.
      expect(Math.min(late, runs.size)).toBeGreaterThan(JOBS / 20);
      expect(expired).toBeLessThan(late);
      const points = (await bench.queue.activity.throughput('hour')).points;
      expect(points.reduce((sum, point) => sum + point.expired, 0)).toBe(late);
      // Rows of jobs that have run are deleted after their expiry time.
      bench.clock.advance(LONGEST);
      await new Reaper(bench.queue.engine).runOnce();
      expect(await bench.rows(TableQueueExpiry)).toEqual([]);
      expect(bench.logger.lines).toEqual([]);
    },
  );
});

import { expect, test } from '@jest/globals';
import { Pruner } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { expectAtMost } from '../support/expect-rate.js';
import { strategiesOf } from '../support/claim-strategies.js';
import { unevenJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PROCESSES = 8;
const TENANTS = 12;
const JOBS = 600;
const RATE = { jobs: 100, per: 1_000, burst: 20 };
const RATE_PER_TENANT = { jobs: 20, per: 1_000, burst: 3 };

describeEach(
  `${PROCESSES} processes at the rate limits of a queue and its tenants`,
  (engine) => {
    const bench = useWorkbench(engine);

    /** How many deadlocks the server has met. */
    const deadlocks = async () => {
      const [row] = await bench.dataSource.query<{ deadlocks: number | string }[]>(
        "SELECT COUNT AS deadlocks FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_deadlocks'",
      );
      return Number(row!.deadlocks);
    };

    test.each(strategiesOf(engine).filter((name) => name !== 'named-lock'))(
      'start no more jobs in any interval than the limits allow, without deadlocks (%s)',
      async (claimStrategy) => {
        await bench.queue.control.limit(unevenJob.queue, { rate: RATE, ratePerTenant: RATE_PER_TENANT });
        const workers = await Promise.all(
          Array.from({ length: PROCESSES }, () => bench.startProcess({ concurrency: 10, claimStrategy })),
        );
        const before = await deadlocks();
        const pruner = new Pruner(bench.queue.engine, false);
        for (let enqueued = 0; enqueued < JOBS;) {
          const count = Math.min(JOBS - enqueued, Math.ceil(Math.random() * 60));
          const jobs = Array.from({ length: count }, (_, index) => ({
            payload: enqueued + index,
            tenant: `tenant ${Math.floor(Math.random() ** 2 * TENANTS)}`,
          }));
          await bench.queue.enqueueMany(unevenJob, jobs);
          enqueued += count;
          await pruner.runOnce();
        }
        await waitFor(
          'all have ended',
          async () => {
            await pruner.runOnce();
            return bench.isEmpty();
          },
          60_000,
        );
        const deadlocked = (await deadlocks()) - before;
        await Promise.all(workers.map(({ child }) => child.end('SIGTERM')));
        const jobs = await bench.finishedJobs();
        expect(jobs).toHaveLength(JOBS);
        expect(new Set(jobs.map(({ owner }) => owner)).size).toBeGreaterThan(1);
        expect(jobs.every(({ attempt, state }) => attempt === 1 && state === 'succeeded')).toBe(true);
        expectAtMost(jobs, RATE);
        for (const tenant of new Set(jobs.map((job) => job.tenant))) {
          expectAtMost(
            jobs.filter((job) => job.tenant === tenant),
            RATE_PER_TENANT,
          );
        }
        expect(workers.map(({ child }) => child.output).join('')).toBe('');
        expect(deadlocked).toBe(0);
      },
      120_000,
    );
  },
  ['mariadb', 'mysql'],
);

import { describe, expect, test } from '@jest/globals';
import { InvalidOptionError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { SERVER_ENGINES } from '../servers/engines.js';
import { hasSkipLocked, strategiesOf } from '../support/claim-strategies.js';
import { describeEach } from '../support/each-engine.js';
import { countJob, idleJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PROCESSES = 3;
const JOBS = 600;
const FEWER_JOBS = 200;

describeEach(
  'claiming',
  (engine) => {
    const jobs = hasSkipLocked(engine) ? JOBS : FEWER_JOBS;
    const bench = useWorkbench(engine);

    const fill = (count: number, from = 0) =>
      bench.queue.enqueueMany(
        countJob,
        Array.from({ length: count }, (_, index) => ({ payload: from + index })),
      );
    const untilEmpty = () => waitFor('the queue is empty', () => bench.isEmpty(), 60_000);

    test('SKIP LOCKED is chosen where a try shows that it works, and else compare-and-set', async () => {
      const worker = await bench.work([jobHandler(countJob, () => undefined)]);
      expect(worker.claimStrategy).toBe(hasSkipLocked(engine) ? 'skip-locked' : 'compare-and-set');
      const [row] = (await bench.dataSource.query(
        "SELECT COUNT(*) AS probes FROM tq_maintenance WHERE task LIKE 'probe:%'",
      )) as { probes: string }[];
      expect(Number(row?.probes)).toBe(0);
    });

    describe.each(strategiesOf(engine))('by %s', (claimStrategy) => {
      test('processes that claim at the same time get each job once', async () => {
        const processes = await Promise.all(
          Array.from({ length: PROCESSES }, () => bench.startProcess({ concurrency: 10, claimStrategy })),
        );
        let enqueued = 0;
        // One that gets no turn while there are jobs proves nothing: then there are more.
        const runs = await waitFor('all processes have taken part', async () => {
          await fill(jobs, enqueued);
          enqueued += jobs;
          await untilEmpty();
          const all = (await bench.dataSource.query('SELECT job, process FROM run')) as Record<string, number>[];
          return new Set(all.map(({ process }) => process)).size === PROCESSES && all;
        });
        await Promise.all(processes.map(({ child }) => child.end('SIGTERM')));
        expect(runs).toHaveLength(enqueued);
        expect(new Set(runs.map(({ job }) => job)).size).toBe(enqueued);
        expect((await bench.finishedJobs()).every(({ attempt, state }) => attempt === 1 && state === 'succeeded')).toBe(
          true,
        );
        expect(processes.map(({ child }) => child.output).join('')).toBe('');
      });

      test('no worker waits for a transaction of the application that has enqueued and not committed', async () => {
        let first = true;
        await bench.dataSource.transaction(async (manager) => {
          await bench.queue.enqueue(countJob, 1, { manager, priority: -5 });
          const seen: number[] = [];
          const worker = await bench.work([jobHandler(countJob, (job) => void seen.push(job))], { claimStrategy });
          expect(worker.claimStrategy).toBe(claimStrategy);
          await bench.queue.enqueue(countJob, 2, { outsideTransaction: true });
          await waitFor('the other one is run', () => seen.includes(2));
          expect(seen).toEqual([2]);
          first = false;
        });
        expect(first).toBe(false);
        await untilEmpty();
      });

      test('the limits of a queue hold', async () => {
        await bench.queue.control.limit('default', { concurrency: 3 });
        await fill(60);
        let most = 0;
        const handler = jobHandler(countJob, async () => {
          const [row] = (await bench.dataSource.query(
            "SELECT COUNT(*) AS jobs FROM tq_job WHERE state = 'running'",
          )) as { jobs: string }[];
          most = Math.max(most, Number(row?.jobs));
        });
        await Promise.all([0, 1, 2].map(() => bench.work([handler], { claimStrategy })));
        await untilEmpty();
        expect(most).toBeLessThanOrEqual(3);
        expect(most).toBeGreaterThan(0);
      });
    });

    if (!hasSkipLocked(engine)) {
      test('SKIP LOCKED is refused where the server does not know it', async () => {
        await expect(bench.work([], { claimStrategy: 'skip-locked' })).rejects.toThrow(
          /"claimStrategy" is 'skip-locked'.*'compare-and-set' or 'named-lock' on this server/,
        );
      });
    }

    test('with named locks a queue waits for the previous claim of any worker; other queues do not', async () => {
      const { dialect } = bench.queue.engine;
      const { sql: name, parameters } = dialect.lockName(dialect.tables.job.sql, 'default');
      const other = defineJob('other', { queue: 'other' });
      const holder = bench.dataSource.createQueryRunner();
      await holder.query(`SELECT GET_LOCK(${name}, 5)`, [...parameters]);
      let counted = 0;
      await bench.work([jobHandler(countJob, () => void counted++), jobHandler(other, () => undefined)], {
        claimStrategy: 'named-lock',
      });
      await fill(1);
      const { id } = await bench.queue.enqueue(other);
      await bench.untilJobIs(id, 'succeeded');
      expect(counted).toBe(0);
      await holder.query(`SELECT RELEASE_LOCK(${name})`, [...parameters]);
      await holder.release();
      await untilEmpty();
      expect(counted).toBe(1);
    });
  },
  SERVER_ENGINES,
);

describeEach(
  'claiming on SQLite',
  (engine) => {
    const bench = useWorkbench(engine);

    test('has one way', async () => {
      const worker = await bench.work([jobHandler(idleJob, () => undefined)]);
      expect(worker.claimStrategy).toBe('update-returning');
      await expect(bench.work([], { claimStrategy: 'named-lock' })).rejects.toThrow(InvalidOptionError);
      expect(() => bench.worker([], { claimStrategy: 'guess' as never })).toThrow(/"claimStrategy" is 'guess'.*auto/);
    });
  },
  ['sqlite'],
);

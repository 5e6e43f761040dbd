import { expect, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { holdJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import type { WorkerProcess } from '../support/worker-process.js';

/** For docs/internals/performance.md it is run with 100. */
const KILLS = Number(process.env.TABLEQUEUE_KILLS ?? 5);
/** As workers have by default: what it takes without the lock of the worker. */
const LEASE = '30s';

describeEach(
  'the time from the kill of a worker to the next run of its job',
  (engine) => {
    const bench = useWorkbench(engine, { isolation: 'database' });

    test(
      `over ${KILLS} kills`,
      async () => {
        // As it is started by default, but for what the tests ask of other processes.
        const start = () => bench.startProcess({ lease: LEASE, maintenance: {} });
        const holds = (worker: WorkerProcess, patience: number) =>
          waitFor('it runs the job', () => worker.reported.held === 1, patience);
        const times: number[] = [];
        let victim = await start();
        await bench.queue.enqueue(holdJob, 1);
        await holds(victim, 20_000);
        for (let kill = 0; kill < KILLS; kill++) {
          const heir = await start();
          // Each meets the looks of the other at another moment.
          await bench.dataSource.query('DO SLEEP(?)', [Math.random()]);
          const since = performance.now();
          victim.child.signal('SIGKILL');
          await holds(heir, 40_000);
          times.push(performance.now() - since);
          victim = heir;
          // Crashes count, and a job has three.
          await bench.dataSource.query('UPDATE tq_job SET crashes = 0');
        }
        times.sort((a, b) => a - b);
        const at = (share: number) => times[Math.ceil(share * times.length) - 1]!;
        process.stdout.write(
          `${engine}: median ${at(0.5).toFixed()} ms, p95 ${at(0.95).toFixed()} ms, worst ${at(1).toFixed()} ms\n`,
        );
        // Far below the lease, far above what a machine takes that has nothing else to do.
        expect(at(0.5)).toBeLessThan(6_000);
        expect(at(1)).toBeLessThan(15_000);
      },
      60_000 + KILLS * 10_000,
    );
  },
  ['mariadb', 'mysql'],
);

import { beforeAll, expect, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { countJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import type { WorkerProcess } from '../support/worker-process.js';

const PROCESSES = 8;
const JOBS = 600;

describeEach(
  'enqueueing beside 8 busy claimers on a nearly empty queue',
  (engine) => {
    const bench = useWorkbench(engine);
    let workers: WorkerProcess[] = [];
    beforeAll(async () => {
      workers = await Promise.all(
        Array.from({ length: PROCESSES }, () => bench.startProcess({ pollInterval: '10ms' })),
      );
    });

    test('is never blocked: no statement waits for a lock for a second', async () => {
      // As an application does: at the server's default isolation, REPEATABLE READ. A wait of a second is an error.
      const queryRunner = bench.dataSource.createQueryRunner();
      await queryRunner.query('SET SESSION innodb_lock_wait_timeout = 1');
      for (let job = 0; job < JOBS; job++) {
        await queryRunner.startTransaction();
        await bench.queue.enqueue(countJob, job, { queryRunner });
        await queryRunner.commitTransaction();
      }
      await queryRunner.release();
      await waitFor('all have run', async () => {
        const [row] = (await bench.dataSource.query('SELECT COUNT(*) AS runs FROM run')) as { runs: string }[];
        return Number(row?.runs) === JOBS;
      });
      await Promise.all(workers.map(({ child }) => child.end('SIGTERM')));
      // Workers report errors, deadlocks and lock waits among them, and had none to report.
      expect(workers.map(({ child }) => child.output).join('')).toBe('');
    }, 120_000);
  },
  ['mariadb', 'mysql'],
);

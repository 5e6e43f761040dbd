import { expect, test } from '@jest/globals';
import { defineJob, partitionHistory } from '@tablequeue/typeorm';
import { Pruner } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const add = defineJob('add');
const JOBS = 4_000;

describeEach(
  'a process that is killed while it drops a day of the history',
  (engine) => {
    const bench = useWorkbench(engine, { isolation: 'database' });

    const count = async (from: string) => {
      const [row] = (await bench.dataSource.query(`SELECT COUNT(*) AS number FROM ${from}`)) as { number: string }[];
      return Number(row?.number);
    };

    test('leaves no key of a job that is gone, and the next run does the rest', async () => {
      await finishedJobs(bench, add, JOBS, 'succeeded');
      await finishedJobs(bench, add, 100, 'cancelled', false);
      await bench.dataSource.query('UPDATE tq_history SET finished_at = finished_at - 864000000');
      const queryRunner = bench.dataSource.createQueryRunner();
      await partitionHistory(queryRunner);
      await queryRunner.release();

      const week = { age: '7d' } as const;
      const retention = { succeeded: week, failed: week, cancelled: week };
      const victim = await bench.startProcess({ retention, maintenance: { pruner: '10ms' } });
      await waitFor('it is at it', async () => (await count('tq_key')) < JOBS);
      await victim.child.end('SIGKILL');

      await new Pruner(bench.queue.engine, retention).runOnce();
      expect(await count('tq_history')).toBe(0);
      expect(await count('tq_key')).toBe(0);
      const left = (await bench.dataSource.query(
        `SELECT 1 FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'tq_history'
           AND PARTITION_DESCRIPTION <> 'MAXVALUE' AND PARTITION_DESCRIPTION < ?`,
        [Date.now() - 8 * 86_400_000],
      )) as unknown[];
      expect(left).toEqual([]);
    });
  },
  ['mariadb', 'mysql'],
);

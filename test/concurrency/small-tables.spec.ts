import { afterEach, expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';
import { Pruner } from '@tablequeue/typeorm/internal';
import type { QueryRunner } from 'typeorm';

import { SERVER_ENGINES } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob('mail');

describeEach(
  'deleting from a small table',
  (engine) => {
    let neighbor: QueryRunner | undefined;
    afterEach(async () => {
      if (neighbor?.isTransactionActive) {
        await neighbor.rollbackTransaction();
      }
      await neighbor?.release();
    });
    const bench = useWorkbench(engine);

    // Servers like to read such tables whole, and wait for every row in them.
    test.each([3, 4, 5, 9, 20])('of %i jobs waits only for the rows to delete', async (count) => {
      const ids = await finishedJobs(bench, mail, count, 'failed');
      const bytes = ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'));
      for (const attempt of [1, 2]) {
        await bench.dataSource.query(
          `INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES ${bytes.map(() => '(?, ?, 1, 1, ?)').join(', ')}`,
          bytes.flatMap((id) => [id, attempt, 'Error']),
        );
      }
      // The test deletes the rows before it: it counts as the newest.
      await bench.dataSource.query(
        'UPDATE tq_job SET finished_at = finished_at - 1, position = position - 1 WHERE id < ?',
        [bytes.at(-1)],
      );
      neighbor = bench.dataSource.createQueryRunner();
      await neighbor.startTransaction('READ COMMITTED');
      for (const [table, id] of [
        ['tq_job', 'id'],
        ['tq_error', 'job_id'],
        ['tq_key', 'job_id'],
      ] as const) {
        await neighbor.query(`SELECT * FROM ${table} FORCE INDEX (PRIMARY) WHERE ${id} = ? FOR UPDATE`, [bytes.at(-1)]);
      }
      const retention = { failed: { count: 1 } };
      expect(await new Pruner(bench.queue.engine, retention).runOnce()).toEqual({ deleted: count - 1 });
      await neighbor.rollbackTransaction();
      expect((await bench.finishedJobs()).map(({ id }) => id)).toEqual([ids.at(-1)]);
      const errors = (await bench.dataSource.query('SELECT job_id FROM tq_error')) as unknown[];
      expect(errors).toHaveLength(2);
    });
  },
  SERVER_ENGINES,
);

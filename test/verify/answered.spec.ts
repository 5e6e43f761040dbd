import { expect, test } from '@jest/globals';
import { NoAnswerError } from '@tablequeue/verify';
import { answered } from '@tablequeue/verify/internal';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

describeEach(
  'a read of verify itself',
  (engine) => {
    const bench = useWorkbench(engine);

    test('fails with its purpose if the database does not answer, and returns the answer if it does', async () => {
      const count = () => bench.dataSource.query<{ jobs: string }[]>('SELECT COUNT(*) AS jobs FROM tq_job');
      const holder = bench.dataSource.createQueryRunner();
      await holder.query('LOCK TABLES tq_job WRITE');
      try {
        const late = answered('count the jobs', count, 300);
        await expect(late).rejects.toThrow(NoAnswerError);
        await expect(late).rejects.toThrow('did not answer for 0.3 s when verify tried to count the jobs');
        const waiting = answered('count the jobs', count, 30_000);
        await holder.query('UNLOCK TABLES');
        expect(Number((await waiting)[0]?.jobs)).toBe(0);
      } finally {
        await holder.query('UNLOCK TABLES');
        await holder.release();
      }
    });
  },
  ['mariadb', 'mysql'],
);

import { expect, test } from '@jest/globals';
import { TableQueue, jobHandler } from '@tablequeue/typeorm';
import type { QueryRunner } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { idleJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const TRANSACTIONS = 24;
/** How many are open at the same time. */
const OPEN = 8;
/** How many jobs are stored, committed and run while one stays open. */
const BETWEEN = 50;
/** How long a job may be missed, in ms. */
const LONGEST_MISS = 2_000;

/** Returns for how long this process has been busy, in ms: without CPU the worker in it gets none either. */
function watchOfWork() {
  const [interval, most] = [10, 50];
  let [worked, seen] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    worked += Math.min(now - seen, most);
    seen = now;
  }, interval);
  return { elapsed: () => worked, stop: () => clearInterval(timer) };
}

describeEach(
  'transactions that commit late and out of order',
  (engine) => {
    const bench = useWorkbench(engine);

    test.each([
      ['', false],
      [' while a snapshot keeps every dead row', true],
    ])(
      'no job of theirs is skipped%s',
      async (_where, holdsSnapshot) => {
        const snapshot = bench.dataSource.createQueryRunner();
        if (holdsSnapshot) {
          await snapshot.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
        }
        // Of another process, as far as the worker knows: it gets no notice, and has to find every job by polling.
        const dataSource = await bench.database.connect({ poolSize: OPEN + 4 });
        const queue = new TableQueue(dataSource, { clock: bench.clock });
        const ran = new Set<number>();
        await bench.work([jobHandler(idleJob, (job) => void ran.add(job))], {
          pollInterval: '250ms',
          concurrency: 20,
        });

        let next = 0;
        const open: { queryRunner: QueryRunner; job: number }[] = [];
        const rolledBack: number[] = [];
        const watch = watchOfWork();
        const runs = async (job: number) => {
          const since = watch.elapsed();
          await waitFor(`job ${job} runs`, () => ran.has(job));
          expect(watch.elapsed() - since).toBeLessThan(LONGEST_MISS);
        };
        for (let number = 0; number < TRANSACTIONS; number++) {
          const queryRunner = dataSource.createQueryRunner();
          await queryRunner.startTransaction();
          const job = next++;
          await queue.enqueue(idleJob, job, { queryRunner });
          open.push({ queryRunner, job });
          // Stored later and committed earlier: the worker passes the place of the open ones.
          const later = Array.from({ length: BETWEEN }, () => next++);
          await queue.enqueueMany(
            idleJob,
            later.map((payload) => ({ payload })),
            { outsideTransaction: true },
          );
          await Promise.all(later.map(runs));
          if (open.length === OPEN) {
            // Neither the oldest nor the newest first.
            const [ended] = open.splice((number * 5) % OPEN, 1) as [(typeof open)[number]];
            expect(ran.has(ended.job)).toBe(false);
            if (number % 4 === 0) {
              await ended.queryRunner.rollbackTransaction();
              rolledBack.push(ended.job);
            } else {
              await ended.queryRunner.commitTransaction();
              await runs(ended.job);
            }
            await ended.queryRunner.release();
          }
        }
        for (const { queryRunner, job } of open) {
          await queryRunner.commitTransaction();
          await queryRunner.release();
          await runs(job);
        }
        watch.stop();
        expect(rolledBack.filter((job) => ran.has(job))).toEqual([]);
        expect(ran.size).toBe(next - rolledBack.length);
        if (holdsSnapshot) {
          await snapshot.query('ROLLBACK');
        }
        await snapshot.release();
      },
      120_000,
    );
  },
  ['mariadb', 'mysql'],
);

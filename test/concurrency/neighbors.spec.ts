import { beforeEach, expect, test } from '@jest/globals';
import { jobHandler } from '@tablequeue/typeorm';
import type { QueryRunner } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { idleJob } from '../support/jobs.js';
import { sessionsOf } from '../support/sessions.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

/** How long a statement has to be stuck, in s: longer than the lease. */
const STUCK = 4;
/** How many lines a worker may log about it: one or two for each of its services, not one for each poll. */
const FEW_LINES = 20;

/** What others do to the tables on the same server, and how they end it. */
const NEIGHBORS: readonly (readonly [string, string[], string])[] = [
  [
    'a transaction at REPEATABLE READ with the gaps of all lanes',
    ['START TRANSACTION', 'SELECT * FROM tq_job FORCE INDEX (tq_job_lane) WHERE queue > "" FOR UPDATE'],
    'ROLLBACK',
  ],
  ['LOCK TABLES', ['LOCK TABLES tq_job WRITE'], 'UNLOCK TABLES'],
  ['FLUSH TABLES WITH READ LOCK', ['FLUSH TABLES WITH READ LOCK'], 'UNLOCK TABLES'],
];

describeEach(
  'beside a rude neighbor',
  (engine) => {
    const bench = useWorkbench(engine, { isolation: 'database' });
    let neighbor: QueryRunner;
    beforeEach(async () => {
      neighbor = (await bench.database.connect()).createQueryRunner();
    });

    let next = 0;
    const ran = new Map<number, number>();
    async function working() {
      next = 0;
      ran.clear();
      const handler = jobHandler(idleJob, (number) => void ran.set(number, (ran.get(number) ?? 0) + 1));
      const worker = await bench.work([handler], { lease: '3s', maintenance: {} });
      await bench.queue.enqueueMany(idleJob, [{ payload: next++ }, { payload: next++ }]);
      // Stored too: a deadlock may end the very transaction that locks everything meanwhile.
      await waitFor('it works', async () => (await bench.countFinished()) === 2);
      return worker;
    }
    const stuck = async (seconds: number) => {
      const { database } = bench.dataSource.driver;
      const sessions = await sessionsOf(neighbor);
      return sessions.some(({ db, Command, Time }) => {
        return db === database && Command === 'Query' && Number(Time) >= seconds;
      });
    };

    async function expectRecovery(pending: readonly Promise<unknown>[]): Promise<void> {
      await Promise.all(pending);
      await bench.queue.enqueue(idleJob, next++);
      await waitFor('all have run', () => ran.size === next, 40_000);
      await waitFor('all are stored', async () => (await bench.countFinished()) === next, 40_000);
      expect(bench.logger.lines.length).toBeLessThan(FEW_LINES);
    }

    test.each(NEIGHBORS)('%s: the worker goes on when it has ended', async (_name, begin, end) => {
      const worker = await working();
      for (const statement of begin) {
        await neighbor.query(statement);
      }
      const pending = Array.from({ length: 10 }, () => bench.queue.enqueue(idleJob, next++));
      await waitFor('it is in the way', () => stuck(STUCK), 40_000);
      await neighbor.query(end);
      await expectRecovery(pending);
      await waitFor('it has its lease', () => worker.holdsLease);
    });

    test('an ALTER TABLE that waits for an open transaction and blocks all later statements', async () => {
      await working();
      const reader = (await bench.database.connect()).createQueryRunner();
      await reader.startTransaction();
      await reader.query('SELECT COUNT(*) FROM tq_job');
      const other = (await bench.database.connect()).createQueryRunner();
      const change = other.query('ALTER TABLE tq_job ADD COLUMN mine INT NULL');
      await waitFor('it waits', () => stuck(1));
      const pending = Array.from({ length: 10 }, () => bench.queue.enqueue(idleJob, next++));
      await waitFor('all wait', () => stuck(STUCK), 40_000);
      await reader.rollbackTransaction();
      await change;
      await expectRecovery(pending);
    });

    test('a lock wait timeout, and a deadlock, are thrown to the caller of the transaction', async () => {
      await neighbor.startTransaction();
      await neighbor.query('SELECT * FROM tq_job FORCE INDEX (tq_job_lane) WHERE queue > "" FOR UPDATE');
      const caller = bench.dataSource.createQueryRunner();
      await caller.query('SET SESSION innodb_lock_wait_timeout = 1');
      await caller.startTransaction();
      const waited = bench.queue.enqueue(idleJob, 1, { queryRunner: caller });
      await expect(waited).rejects.toMatchObject({ name: 'QueryFailedError', driverError: { errno: 1205 } });
      await caller.rollbackTransaction();
      await neighbor.rollbackTransaction();

      // Each holds what the other wants next.
      await caller.query('SET SESSION innodb_lock_wait_timeout = 30');
      await caller.query("INSERT INTO note VALUES (1, 'a')");
      await caller.startTransaction();
      await caller.query('UPDATE note SET text = ? WHERE id = 1', ['of the caller']);
      await neighbor.startTransaction();
      await neighbor.query('SELECT * FROM tq_job FORCE INDEX (tq_job_lane) WHERE queue > "" FOR UPDATE');
      // It has changed more, so the server ends the caller's.
      await neighbor.query('INSERT INTO run (job, process) SELECT 1, 1 FROM information_schema.COLUMNS LIMIT 200');
      const enqueued = bench.queue.enqueue(idleJob, 2, { queryRunner: caller });
      const update = neighbor.query("UPDATE note SET text = 'of the neighbor' WHERE id = 1");
      await expect(enqueued).rejects.toMatchObject({ name: 'TransactionLostError', errno: 1213 });
      await caller.rollbackTransaction();
      await update;
      await neighbor.rollbackTransaction();
      await caller.release();
      expect(await bench.liveJobs()).toEqual([]);
    });
  },
  ['mariadb', 'mysql'],
);

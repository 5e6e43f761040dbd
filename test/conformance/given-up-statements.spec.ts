import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { DatabaseBusyError, DatabaseUnavailableError, TableQueue, defineJob, jobHandler } from '@tablequeue/typeorm';
import type { QueryRunner } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { sessionsOf } from '../support/sessions.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const quote = defineJob<string>('quote');

// A table that is locked for long, as by LOCK TABLES or a waiting ALTER TABLE.
describeEach(
  'a statement that is given up ends in the server:',
  (engine) => {
    let holder: QueryRunner;
    afterEach(async () => {
      await holder.query('UNLOCK TABLES');
      await holder.release();
    });
    const bench = useWorkbench(engine, { isolation: 'database' });
    beforeEach(async () => {
      holder = (await bench.database.connect()).createQueryRunner();
      await holder.query('LOCK TABLES tq_job WRITE');
    });

    const noSessionWaits = () =>
      waitFor('no session waits', async () => {
        const { database } = bench.dataSource.driver;
        const sessions = await sessionsOf(holder);
        return !sessions.some(({ db, State }) => db === database && State?.startsWith('Waiting for table'));
      });

    test('one of a worker', async () => {
      const worker = bench.queue.engine.dedicated(3_000);
      await worker.open();
      await expect(worker.missingTables()).rejects.toThrow(DatabaseBusyError);
      await noSessionWaits();
      await worker.close();
    });

    test('one that takes longer than the queries of the application may', async () => {
      const limits = { maxQueryExecutionTime: 200, enableQueryTimeout: true, logger: 'debug' };
      const queue = new TableQueue(await bench.database.connect(limits));
      // In a transaction, and without one.
      await expect(queue.enqueue(quote, 'a', { key: 'k' })).rejects.toThrow(DatabaseUnavailableError);
      await expect(queue.counts()).rejects.toThrow(DatabaseUnavailableError);
      await noSessionWaits();
      await holder.query('UNLOCK TABLES');
      expect(await bench.liveJobs()).toEqual([]);
    });

    // Only MySQL shows the variables of other sessions.
    if (engine === 'mysql') {
      test('all sessions of a worker wait for a few seconds only', async () => {
        await holder.query('UNLOCK TABLES');
        const sessions = async () =>
          (await holder.query(
            `SELECT processlist_id AS id, variable_value AS seconds FROM performance_schema.variables_by_thread
             JOIN performance_schema.threads USING (thread_id)
             WHERE variable_name = 'lock_wait_timeout' AND processlist_db = DATABASE()`,
          )) as { readonly id: number; readonly seconds: string }[];
        const before = new Set((await sessions()).map(({ id }) => id));
        await bench.work([jobHandler(quote, () => undefined)]);
        const own = (await sessions()).filter(({ id }) => !before.has(id)).map(({ seconds }) => Number(seconds));
        // The session of the lock, and those of statements.
        expect(new Set(own)).toEqual(new Set([4, 5]));
      });
    }
  },
  ['mariadb', 'mysql'],
);

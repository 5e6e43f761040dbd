import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TableQueue, TableQueueJob } from '@tablequeue/typeorm';
import { TableQueueWorkerRow } from '@tablequeue/typeorm/internal';
import type { DataSource } from 'typeorm';

import { ChildProcess } from '../support/child-process.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import type { RoleMessage } from '../support/role-jobs.js';
import { waitFor } from '../support/wait-for.js';

const PROGRAM = new URL('../dist/processes/roles.js', import.meta.url);

describeEach(
  'processes of one application',
  (engine) => {
    let database: TestDatabase;
    let dataSource: DataSource;
    const processes: ChildProcess[] = [];
    beforeEach(async () => {
      database = await createDatabase(engine);
      dataSource = await database.connect();
    });
    afterEach(async () => {
      await Promise.all(processes.splice(0).map((each) => each.end('SIGKILL')));
      await database.drop();
    });

    async function start(environment: Record<string, string>): Promise<RoleMessage> {
      const child = ChildProcess.start(PROGRAM, { ENGINE: engine, URL: database.url, ...environment });
      processes.push(child);
      return (await child.nextMessage()) as RoleMessage;
    }

    const runs = async () => (await dataSource.query('SELECT job, process FROM run ORDER BY job')) as unknown[];

    test('follow the environment: enqueue, or work on some queues, and end cleanly', async () => {
      const queue = new TableQueue(dataSource);
      const producer = await start({ TABLEQUEUE_ROLE: 'producer' });
      expect(producer).toMatchObject({ address: expect.any(String), intervals: 0 });
      expect(await dataSource.getRepository(TableQueueWorkerRow).count()).toBe(0);
      for (const number of [1, 2, 3]) {
        expect(await fetch(`${producer.address}/orders/${number}`, { method: 'POST' })).toMatchObject({ status: 201 });
      }

      const mailer = await start({ TABLEQUEUE_ROLE: 'worker', TABLEQUEUE_QUEUES: 'mails' });
      expect(mailer).toEqual({ pid: mailer.pid, intervals: 4 });
      const liveJobs = () => dataSource.getRepository(TableQueueJob).findBy({ finishedAt: 0 });
      await waitFor('the mails are sent', async () => (await liveJobs()).length === 3);
      // It passes them over each time it looks, and its maintenance leaves them alone.
      expect((await liveJobs()).map((job) => [job.queue, job.state, job.attempt])).toEqual(
        [1, 2, 3].map(() => ['reports', 'ready', 0]),
      );
      expect(await queue.recurring.list()).toEqual([]);

      const reporter = await start({ TABLEQUEUE_QUEUES: 'reports' });
      expect(reporter.address).toBeDefined();
      await waitFor('the reports are made', async () => (await runs()).length === 6);
      expect(await queue.recurring.list()).toMatchObject([{ name: 'report', every: 3_600_000 }]);
      expect(await runs()).toEqual([
        ...[-3, -2, -1].map((job) => ({ job, process: reporter.pid })),
        ...[1, 2, 3].map((job) => ({ job, process: mailer.pid })),
      ]);

      for (const child of processes) {
        child.send('close');
        await child.ended();
      }
      expect(processes.map(({ output }) => /Role ".*/.exec(output)?.[0])).toEqual([
        'Role "producer" (TABLEQUEUE_ROLE): enqueues only',
        'Role "worker" (TABLEQUEUE_ROLE): works on mails (TABLEQUEUE_QUEUES)',
        'Role "all" (default): works on reports (TABLEQUEUE_QUEUES)',
      ]);
      expect(await dataSource.getRepository(TableQueueWorkerRow).count()).toBe(0);
    });
  },
  ['sqlite', 'mariadb'],
);

import { expect, test } from '@jest/globals';
import { InvalidOptionError, TableQueue, UnknownOptionError, defineJob, jobHandler } from '@tablequeue/typeorm';
import { Reaper } from '@tablequeue/typeorm/internal';
import { FaultProxy } from '@tablequeue/verify/internal';
import mysql from 'mysql2/promise';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import { describeOnOlderToo } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { holdJob } from '../support/jobs.js';
import { databaseTime } from '../support/schedules.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob<number>('mail', { queue: 'mail' });
const slow = defineJob<number>('slow', { queue: 'slow', tenant: (number) => `tenant ${number}` });
const work = defineJob('work');

describeOnOlderToo('health', (engine) => {
  const bench = useWorkbench(engine);

  test('of a queue in which nothing is wrong, without a worker and with one', async () => {
    // MySQL cannot list its transactions while another test sends bytes in one.
    const health = await waitFor('the transactions are visible', async () => {
      const found = await bench.queue.health();
      return found.oldestTransaction !== 'unknown' && found;
    });
    expect(health).toEqual({
      isHealthy: true,
      status: 'ok',
      problems: [],
      database: 'up',
      worker: 'none',
      backlog: [],
      oldestTransaction: engine === 'sqlite' ? 'none' : expect.any(Number),
    });
    await bench.work([jobHandler(work, () => undefined)]);
    expect(await bench.queue.health()).toMatchObject({ isHealthy: true, worker: 'lease-held' });
    await bench.stopWorkers();
    expect(await bench.queue.health()).toMatchObject({ isHealthy: true, worker: 'none' });
  });

  test('the oldest ready job of each queue is found, with any priority and tenant', async () => {
    const { queue, clock } = bench;
    await queue.enqueue(mail, 1, { priority: 7 });
    await queue.enqueue(slow, 1);
    clock.advance('60s');
    await queue.enqueue(mail, 2, { priority: -500 });
    await queue.enqueue(mail, 3);
    await queue.enqueue(slow, 2, { priority: 500 });
    await queue.enqueue(work, undefined, { delay: '1h' });
    clock.advance('30s');
    const { backlog, ...health } = await queue.health({ maxBacklogAge: { slow: '1m', work: 0 } });
    expect(backlog.map(({ queue: name }) => name)).toEqual(['mail', 'slow']);
    for (const { age } of backlog) {
      expect(age).toBeGreaterThanOrEqual(90_000);
      expect(age).toBeLessThan(110_000);
    }
    expect(health).toMatchObject({
      isHealthy: false,
      problems: [
        {
          kind: 'no-worker',
          severity: 'critical',
          message: 'No worker works on 2 queues with due jobs: mail, slow.',
          failsCheck: false,
        },
        {
          kind: 'late-backlog',
          severity: 'critical',
          message: 'The oldest due job of queue "slow" has been due for 2 minutes, more than 1 minute.',
          since: expect.any(Date),
          count: 1,
          failsCheck: true,
        },
      ],
    });
    expect((await queue.health({ maxBacklogAge: '80s' })).problems[1]).toMatchObject({ count: 2 });
    expect((await queue.health({ maxBacklogAge: '1h' })).isHealthy).toBe(true);

    await queue.control.pause('mail');
    const paused = await queue.health({ maxBacklogAge: '80s' });
    expect(paused.problems.map(({ kind, examples }) => [kind, ...examples])).toEqual([
      ['no-worker', 'slow'],
      ['late-backlog', 'slow'],
      ['paused-queues', 'mail'],
    ]);
    expect(paused.backlog[0]).toMatchObject({ queue: 'mail', isPaused: true });
  });

  test('there may be more tenants and priorities than one statement asks for', async () => {
    await bench.queue.enqueueMany(
      slow,
      Array.from({ length: 450 }, (_, payload) => ({ payload, priority: payload % 2 })),
    );
    const { id } = await bench.queue.enqueue(slow, 449, { priority: 9, runAt: new Date(1_000) });
    expect((await bench.liveJobs()).find((job) => job.id === id)?.state).toBe('ready');
    const { backlog } = await bench.queue.health();
    expect(backlog).toEqual([{ queue: 'slow', age: expect.any(Number), isPaused: false }]);
    expect(backlog[0]?.age).toBeGreaterThan(1_000_000_000_000);
  });

  test('a worker that has lost its lease is reported', async () => {
    const worker = await bench.work([jobHandler(work, () => undefined)], { lease: '1s' });
    await bench.dataSource.query('ALTER TABLE tq_worker RENAME TO tq_worker_away');
    try {
      // Whatever else is wrong meanwhile: beside other tests the server does not always answer in time.
      const lost = await waitFor('the lease is lost', async () => {
        const health = await bench.queue.health({ timeout: '10s' });
        return health.worker === 'lease-lost' && health;
      });
      expect(lost.isHealthy).toBe(false);
      expect(lost.problems.find(({ kind }) => kind === 'lease-lost')).toMatchObject({ failsCheck: true });
      expect(worker.holdsLease).toBe(false);
    } finally {
      await bench.dataSource.query('ALTER TABLE tq_worker_away RENAME TO tq_worker');
    }
    await waitFor('it has another', async () => (await bench.queue.health()).worker === 'lease-held');
  });

  test('jobs of dead workers, late maintenance and schedules that are ahead are reported', async () => {
    const worker = await bench.startProcess({ maintenance: false });
    await bench.queue.enqueue(holdJob, 1);
    await waitFor('the job runs', () => worker.reported.held === 1);
    await worker.child.end('SIGKILL');
    await bench.queue.recurring.set('often', work, undefined, { every: '1h' });
    await bench.dataSource.query('UPDATE tq_worker SET lease_until = lease_until - 120000');
    const dayAhead = (await databaseTime(bench)) + 86_400_000;
    await bench.dataSource.query(`UPDATE tq_schedule SET next_fire_at = ${dayAhead + 1}, last_fire_at = ${dayAhead}`);
    const abandoned = { kind: 'abandoned-jobs', count: 1, since: expect.any(Date) };
    expect(await bench.queue.health()).toMatchObject({
      isHealthy: true,
      status: 'warning',
      problems: [abandoned, { kind: 'clock-went-back', count: 1 }],
    });
    // Its scheduler calculates the next tick again.
    await bench.work([jobHandler(work, () => undefined)], { maintenance: { reaper: '1h' } });
    await waitFor('the schedule is right', async () => {
      return (await bench.queue.health()).problems.every(({ kind }) => kind !== 'clock-went-back');
    });
    const lately = (await databaseTime(bench)) - 3 * 3_600_000;
    await bench.dataSource.query(`INSERT INTO tq_maintenance VALUES ('reaper', ${lately})`);
    const overdue = { kind: 'maintenance-overdue', count: 1, message: 'Maintenance has not run in time: reaper.' };
    expect((await bench.queue.health()).problems).toMatchObject([abandoned, overdue]);
    await new Reaper(bench.queue.engine).runOnce();
    expect((await bench.queue.health()).problems).toMatchObject([overdue]);
  });

  test('wrong options are refused', async () => {
    const { queue } = bench;
    await expect(queue.health({ maxBacklogAge: 'soon' as never })).rejects.toThrow(InvalidOptionError);
    await expect(queue.health({ maxBacklogAge: { mail: -1 } })).rejects.toThrow(/maxBacklogAge\.mail/);
    await expect(queue.health({ maxAge: 1 } as never)).rejects.toThrow(UnknownOptionError);
    await expect(queue.health({ timeout: 0 })).rejects.toThrow(InvalidOptionError);
  });

  if (engine === 'sqlite') {
    test('a data source that is closed is a database that is down', async () => {
      const dataSource = await bench.database.connect();
      const queue = new TableQueue(dataSource);
      await dataSource.destroy();
      expect(await queue.health()).toMatchObject({ isHealthy: false, database: 'down', oldestTransaction: 'unknown' });
    });
  } else {
    test('reports the oldest transaction that may stop purge, in any time zone, and no others', async () => {
      const dataSource = await bench.database.connect({ extra: { connectionLimit: 1 } });
      await dataSource.query("SET time_zone = '+05:30'");
      const queue = new TableQueue(dataSource);
      const holders = ['READ COMMITTED', 'REPEATABLE READ'].map(async (isolation) => {
        const holder = bench.dataSource.createQueryRunner();
        await holder.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`);
        await holder.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
        await holder.query('SELECT * FROM tq_job FOR UPDATE');
        return holder;
      });
      const [committed, repeatable] = await Promise.all(holders);
      const since = performance.now();
      // InnoDB refreshes its view of transactions only after 100 ms without a query.
      const pause = () => bench.dataSource.query('DO SLEEP(0.15)');
      await waitFor('the snapshot is seen', async () => {
        await pause();
        const { oldestTransaction, problems } = await queue.health({ maxTransactionAge: '1s' });
        return (
          Number(oldestTransaction) > 1_000 &&
          problems.some(({ message }) => /^A transaction has been open for \d+ \w+, more than 1 second/.test(message))
        );
      });
      await repeatable!.query('ROLLBACK');
      // Other tests on this server have snapshots too; sooner or later none is as old as this transaction without one.
      await waitFor('the other is left out', async () => {
        await pause();
        const { oldestTransaction } = await queue.health();
        return Number(oldestTransaction) + 1_000 < performance.now() - since;
      });
      expect((await queue.health({ maxTransactionAge: '10h' })).isHealthy).toBe(true);
      await committed!.query('ROLLBACK');
      await Promise.all([committed!.release(), repeatable!.release()]);
    });

    test('costs the same however many jobs are ready or finished', async () => {
      const dataSource = await bench.database.connect({ extra: { connectionLimit: 1 } });
      const queue = new TableQueue(dataSource);
      const reads = async () => {
        // The server would update its statistics some time after so many rows. Before, MySQL once read all 3,300
        // entries.
        await dataSource.query('ANALYZE TABLE tq_job');
        await queue.health();
        await dataSource.query('FLUSH STATUS');
        await queue.health();
        const rows: { Value: string }[] = await dataSource.query("SHOW SESSION STATUS LIKE 'Handler_read%'");
        return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
      };
      const ready = (count: number) =>
        bench.queue.enqueueMany(
          mail,
          Array.from({ length: count }, (_, payload) => ({ payload, priority: payload % 3 })),
        );
      await ready(300);
      const few = await reads();
      await ready(3_000);
      await finishedJobs(bench, work, 3_000, 'succeeded');
      expect(await reads()).toBeLessThan(few + 50);
    });

    test('an account without the PROCESS privilege gets "unknown"', async () => {
      const url = new URL(bench.database.url);
      const admin = await mysql.createConnection(url.href);
      const name = url.pathname.slice(1);
      const account = `'${name}'@'${url.hostname}'`;
      await admin.query(`CREATE USER ${account} IDENTIFIED BY 'weak'`);
      await admin.query(`GRANT ALL ON ${name}.* TO ${account}`);
      url.username = name;
      url.password = 'weak';
      const dataSource = await new DataSource(connectionOptions(engine, url.href)).initialize();
      expect(await new TableQueue(dataSource).health({ maxTransactionAge: 0 })).toMatchObject({
        isHealthy: true,
        oldestTransaction: 'unknown',
      });
      await dataSource.destroy();
      await admin.query(`DROP USER ${account}`);
      await admin.end();
    });

    test('a database that is away, or does not answer, is down within the timeout', async () => {
      const proxy = new FaultProxy(new URL(bench.database.url));
      await proxy.open();
      const dataSource = await new DataSource(connectionOptions(engine, proxy.url)).initialize();
      const queue = new TableQueue(dataSource);
      expect(await queue.health()).toMatchObject({ isHealthy: true });
      proxy.silence();
      expect(await queue.health({ timeout: '50ms' })).toMatchObject({
        isHealthy: false,
        database: 'down',
        problems: [{ kind: 'database-down', message: 'The database has not answered within 50 ms.' }],
        oldestTransaction: 'unknown',
      });
      await proxy.close();
      const away = await queue.health();
      expect(away).toMatchObject({ isHealthy: false, database: 'down' });
      expect(away.problems[0]?.message).toMatch(/Cannot check the health of the queue/);
      await proxy.open();
      await waitFor('it is back', async () => (await queue.health()).isHealthy);
      await dataSource.destroy();
      await proxy.close();
    });
  }
});

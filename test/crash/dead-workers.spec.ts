import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { LeaseLostError, TableQueue, TableQueueWorker, defineJob } from '@tablequeue/typeorm';
import { TableQueueWorkerRow } from '@tablequeue/typeorm/internal';
import { FaultProxy } from '@tablequeue/verify/internal';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { holdJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import type { WorkerProcess } from '../support/worker-process.js';

const JOBS = 20;
/** Far longer than any of these tests: whatever is freed is freed without the lease. */
const LEASE = '10m';
const PROCESS = { concurrency: JOBS, lease: LEASE, maintenance: false } as const;

const long = defineJob('long');

describeEach(
  'the death of a worker, found by its connection',
  (engine) => {
    const bench = useWorkbench(engine, { isolation: 'database' });

    const workerRows = () => bench.rows(TableQueueWorkerRow);
    const enqueue = (count: number) =>
      bench.queue.enqueueMany(
        holdJob,
        Array.from({ length: count }, (_, payload) => ({ payload })),
      );

    async function victimWith(count: number): Promise<WorkerProcess> {
      // Full, so that the next one's jobs are the next one's.
      const victim = await bench.startProcess({ ...PROCESS, concurrency: count });
      await enqueue(count);
      await waitFor('it runs them', () => victim.reported.held === count);
      return victim;
    }

    test('jobs of a killed process run again within seconds, with any lease', async () => {
      const victim = await victimWith(JOBS);
      const heir = await bench.startProcess(PROCESS);
      await victim.child.end('SIGKILL');
      await waitFor('the other process has all of them', () => heir.reported.held === JOBS);
      heir.release();
      await waitFor('they have ended', async () => (await bench.countFinished()) === JOBS);
      expect((await bench.finishedJobs()).every(({ attempt, failures }) => attempt === 2 && failures === 0)).toBe(true);
      expect(await workerRows()).toHaveLength(1);
    });

    test('also when the next worker starts only afterwards', async () => {
      const victim = await victimWith(1);
      await victim.child.end('SIGKILL');
      const heir = await bench.startProcess(PROCESS);
      await waitFor('the next process has it', () => heir.reported.held === 1);
    });

    test('a process that is stopped, not dead, keeps its jobs', async () => {
      const stopped = await victimWith(1);
      const killed = await victimWith(1);
      const heir = await bench.startProcess(PROCESS);
      stopped.child.signal('SIGSTOP');
      await killed.child.end('SIGKILL');
      await waitFor("it has the killed one's", () => heir.reported.held === 1);
      expect((await bench.liveJobs()).map(({ attempt }) => attempt).toSorted((a, b) => a - b)).toEqual([1, 2]);
      stopped.child.signal('SIGCONT');
      stopped.release();
      await waitFor('it ends its own', async () => (await bench.countFinished()) === 1);
    });

    test('a lock of another run of the server proves nothing, and frees nothing', async () => {
      const before = await victimWith(1);
      const [row] = await workerRows();
      // As after a restart: the row refers to the run before.
      await bench.dataSource.query('UPDATE tq_worker SET lock_server = lock_server + 1');
      const after = await victimWith(1);
      await Promise.all([before.child.end('SIGKILL'), after.child.end('SIGKILL')]);
      const heir = await bench.startProcess({ ...PROCESS, deadWorkerGracePeriod: '200ms' });
      await waitFor('it has the job of the one', () => heir.reported.held === 1);
      const observer = await bench.work([heldHandler(defineJob('other', { queue: 'another' })).handler]);
      expect(await observer.reaper.reapMissing([row!.id])).toEqual([]);
      const left = (await workerRows()).find(({ id }) => id === row!.id);
      expect(left).toMatchObject({ leaseUntil: row!.leaseUntil });
      expect((await bench.liveJobs()).filter(({ owner }) => owner === row!.id)).toHaveLength(1);

      // The same row, of this run, is another matter.
      await bench.dataSource.query('UPDATE tq_worker SET lock_server = lock_server - 1 WHERE id = ?', [row!.id]);
      await waitFor('it has both', () => heir.reported.held === 2);
    });

    test('a live worker whose connection is cut keeps its jobs, and acquires another lock', async () => {
      const { runs, handler } = heldHandler(long);
      const lost: string[] = [];
      const worker = await bench.work([handler], { lease: LEASE });
      worker.events.on('lost', ({ id }) => lost.push(id));
      // Others that would take it over.
      const heir = heldHandler(long);
      const { id } = await bench.queue.enqueue(long);
      await waitFor('it runs', () => runs.length === 1);
      await bench.work([heir.handler], { lease: LEASE });

      for (let cut = 0; cut < 3; cut++) {
        const row = (await workerRows()).find((each) => each.id === worker['liveness'].lease.owner)!;
        const [holder] = (await bench.dataSource.query('SELECT IS_USED_LOCK(?) AS id', [row.lockName])) as {
          id: string;
        }[];
        await bench.dataSource.query(`KILL ${holder!.id}`);
        await waitFor('it holds another lock', async () => {
          const now = (await workerRows()).find((each) => each.id === row.id);
          return now && now.lockName !== null && now.lockName !== row.lockName;
        });
      }
      expect(await bench.queue.find(id)).toMatchObject({ state: 'running', attempt: 1 });
      runs[0]!.end();
      await bench.untilJobIs(id, 'succeeded');
      expect([lost, heir.runs.length]).toEqual([[], 0]);
    });
  },
  ['mariadb', 'mysql'],
);

describeEach(
  'a worker behind a proxy',
  (engine) => {
    let proxy: FaultProxy;
    let dataSource: DataSource;
    let worker: TableQueueWorker;
    afterEach(async () => {
      await worker.stop();
      await dataSource.destroy();
      await proxy.close();
    });
    const bench = useWorkbench(engine, { isolation: 'database' });
    beforeEach(async () => {
      proxy = new FaultProxy(new URL(bench.database.url));
      await proxy.open();
      dataSource = await new DataSource(connectionOptions(engine, proxy.url)).initialize();
    });

    /** One worker behind the proxy that runs a job, and one beside it that would take it over. */
    async function heldBehindProxy() {
      const first = heldHandler(long);
      const second = heldHandler(long);
      const lost: string[] = [];
      worker = new TableQueueWorker(new TableQueue(dataSource), [first.handler], {
        lease: LEASE,
        logger: bench.logger,
        pollInterval: '50ms',
      });
      worker.events.on('lost', (job) => lost.push(job.id));
      await worker.start();
      const [row] = await bench.rows(TableQueueWorkerRow);
      const { id } = await bench.queue.enqueue(long);
      await waitFor('it runs', () => first.runs.length === 1);
      await bench.work([second.handler], { lease: LEASE });
      return { id, row: row!, first: first.runs, second: second.runs, lost };
    }

    test('proves in time that it is alive after all of its connections were cut', async () => {
      const { id, row, first, second, lost } = await heldBehindProxy();
      await proxy.close();
      await proxy.open();
      await waitFor('it holds another lock', async () => {
        const now = (await bench.rows(TableQueueWorkerRow)).find((each) => each.id === row.id);
        return now && now.lockName !== null && now.lockName !== row.lockName;
      });
      expect(await bench.queue.find(id)).toMatchObject({ state: 'running', attempt: 1 });
      first[0]!.end();
      await bench.untilJobIs(id, 'succeeded');
      expect([lost, second.length]).toEqual([[], 0]);
    });

    test('that stays cut off loses its job to another worker; its late statements change nothing', async () => {
      const { id, row, first, second, lost } = await heldBehindProxy();
      await proxy.close();
      await waitFor('the other runs it', () => second.length === 1);
      expect(first[0]!.job.signal.aborted).toBe(false);
      await proxy.open();
      await waitFor('it learns that it is taken for dead', () => first[0]!.job.signal.aborted);
      expect(first[0]!.job.signal.reason).toBeInstanceOf(LeaseLostError);
      first[0]!.end('from the dead');
      await waitFor('its outcome is refused', () => lost.length === 1);
      expect(await bench.queue.find(id)).toMatchObject({ state: 'running', attempt: 2 });
      second[0]!.end('from the living');
      expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2, result: 'from the living' });
      await waitFor('it is another worker now', async () => {
        const rows = await bench.rows(TableQueueWorkerRow);
        return rows.length === 2 && rows.every((each) => each.id !== row.id && each.lockName !== null);
      });
    });
  },
  ['mariadb', 'mysql'],
);

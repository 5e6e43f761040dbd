import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { TableQueue, TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';
import mysql from 'mysql2/promise';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import { describeCluster } from '../support/describe-cluster.js';
import { doctor } from '../support/doctor.js';
import { expectAtMost } from '../support/expect-rate.js';
import { countJob } from '../support/jobs.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { Balancer } from '../servers/clusters/balancer.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';
import { WorkerProcess } from '../support/worker-process.js';

const JOBS = 5_000;
/** With a node that is killed in the middle. */
const FEWER_JOBS = 3_000;
/** Order keys, and how many times each of them gets two jobs. */
const KEYS = 50;
const ROUNDS = 8;

describeCluster('galera', 'three nodes that all take writes', (cluster) => {
  let bench: Workbench;
  /** One in front of each node, which leads to the next one when that is gone. */
  let proxies: Balancer[];
  let dataSources: DataSource[];
  let queues: TableQueue[];
  const workers: WorkerProcess[] = [];

  beforeAll(async () => {
    bench = await Workbench.open('mariadb', cluster().nodes[0]!.url);
    const urls = cluster().nodes.map(({ url }) => new URL(new URL(bench.database.url).pathname, url));
    proxies = urls.map((_url, index) => new Balancer(() => [...urls.slice(index), ...urls.slice(0, index)]));
    await Promise.all(proxies.map((proxy) => proxy.open()));
    dataSources = await Promise.all(
      proxies.map(({ url }) => new DataSource(connectionOptions('mariadb', url)).initialize()),
    );
    queues = dataSources.map((dataSource) => new TableQueue(dataSource));
  });
  beforeEach(() => bench.reset());
  afterAll(async () => {
    await endWorkers('SIGKILL');
    await Promise.all(dataSources.map((dataSource) => dataSource.destroy()));
    await Promise.all(proxies.map((proxy) => proxy.cut()));
    await bench.close();
  });

  async function startWorkers(options: object = {}): Promise<void> {
    workers.push(
      ...proxies.map(({ url }) => WorkerProcess.spawn({ ...bench.database, url }, { concurrency: 25, ...options })),
    );
    await Promise.all(workers.map((worker) => worker.started()));
  }

  async function endWorkers(signal: NodeJS.Signals): Promise<void> {
    await Promise.all(workers.splice(0).map(({ child }) => child.end(signal)));
  }

  /** All nodes take their share of the jobs at the same time. */
  const fill = (count: number) =>
    Promise.all(
      queues.map((queue, node) =>
        queue.enqueueMany(
          countJob,
          Array.from({ length: Math.ceil((count - node) / queues.length) }, (_, index) => ({
            payload: index * queues.length + node,
          })),
        ),
      ),
    );

  async function ask(sql: string, node = 0): Promise<Record<string, number>> {
    const [row] = (await dataSources[node]!.query(sql)) as Record<string, string>[];
    return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
  }

  const untilEmpty = () =>
    waitFor(
      'the queue is empty',
      async () => (await ask('SELECT COUNT(*) AS jobs FROM tq_job WHERE finished_at = 0')).jobs === 0,
      240_000,
    );

  /** How many transactions of all nodes were rolled back because of one on another node. */
  async function conflicts(): Promise<number> {
    let sum = 0;
    for (const dataSource of dataSources) {
      const rows = (await dataSource.query(
        "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_local_cert_failures', 'wsrep_local_bf_aborts')",
      )) as { Value: string }[];
      sum += rows.reduce((total, { Value: value }) => total + Number(value), 0);
    }
    return sum;
  }

  test('workers on all nodes choose their claim strategy, and detect dead workers by leases alone', async () => {
    const logger = new RecordingLogger();
    const worker = new TableQueueWorker(queues[1]!, [jobHandler(countJob, () => undefined)], { logger });
    await worker.start();
    await queues[2]!.enqueue(countJob, 1);
    await untilEmpty();
    await worker.stop();
    expect(logger.lines).toEqual([expect.stringContaining('only leases do')]);
  });

  test(`${JOBS} jobs from all nodes run on workers of all nodes, each exactly once`, async () => {
    const before = await conflicts();
    await startWorkers();
    const since = performance.now();
    await fill(JOBS);
    await untilEmpty();
    const seconds = (performance.now() - since) / 1000;
    const runs = await ask(
      'SELECT COUNT(*) AS runs, COUNT(DISTINCT job) AS jobs, COUNT(DISTINCT process) AS processes FROM run',
    );
    const rolledBack = (await conflicts()) - before;
    console.info(`galera: ${Math.round(JOBS / seconds)} jobs/s, ${rolledBack} conflicts`);
    await endWorkers('SIGTERM');

    expect(runs).toEqual({ runs: JOBS, jobs: JOBS, processes: 3 });
    expect(await dataSources[0]!.query('SELECT DISTINCT state, attempt FROM tq_job WHERE finished_at > 0')).toEqual([
      { state: 'succeeded', attempt: 1 },
    ]);
    // Without conflicts the test shows no more than one on a single server.
    expect(rolledBack).toBeGreaterThan(0);
  }, 300_000);

  test('the limit of a queue holds across all nodes', async () => {
    const limited = defineJob<number>('limited', { queue: 'limited' });
    await queues[0]!.control.limit('limited', { concurrency: 2 });
    let running = 0;
    let most = 0;
    let done = 0;
    const handler = jobHandler(limited, async () => {
      most = Math.max(most, ++running);
      // Long enough to overlap with another job.
      await bench.dataSource.query('DO SLEEP(0.02)');
      running--;
      done++;
    });
    const own = queues.map(
      (queue) => new TableQueueWorker(queue, [handler], { concurrency: 10, logger: bench.logger }),
    );
    await Promise.all(own.map((worker) => worker.start()));
    await Promise.all(
      queues.map((queue) =>
        queue.enqueueMany(
          limited,
          Array.from({ length: 100 }, (_, payload) => ({ payload })),
        ),
      ),
    );
    await waitFor('all are done', () => done >= 300, 60_000);
    await Promise.all(own.map((worker) => worker.stop()));
    expect(done).toBe(300);
    expect(most).toBeLessThanOrEqual(2);
  }, 90_000);

  test('the rates of a queue and its tenants hold across all nodes', async () => {
    const limited = defineJob<number>('limited', { queue: 'limited' });
    const rate = { jobs: 60, per: 1_000, burst: 6 };
    const ratePerTenant = { jobs: 20, per: 1_000, burst: 3 };
    await queues[0]!.control.limit('limited', { rate, ratePerTenant });
    let done = 0;
    const handler = jobHandler(limited, () => void done++);
    const own = queues.map(
      (queue) => new TableQueueWorker(queue, [handler], { concurrency: 10, logger: bench.logger }),
    );
    await Promise.all(own.map((worker) => worker.start()));
    await Promise.all(
      queues.map((queue) =>
        queue.enqueueMany(
          limited,
          Array.from({ length: 60 }, (_, payload) => ({ payload, tenant: `tenant ${payload % 4}` })),
        ),
      ),
    );
    await waitFor('all are done', () => done >= 180, 60_000);
    await Promise.all(own.map((worker) => worker.stop()));
    const jobs = (await bench.finishedJobs()).filter(({ attempt }) => attempt === 1);
    expect(jobs.length).toBeGreaterThan(150);
    expectAtMost(jobs, rate);
    for (const tenant of new Set(jobs.map((job) => job.tenant))) {
      expectAtMost(
        jobs.filter((job) => job.tenant === tenant),
        ratePerTenant,
      );
    }
  }, 90_000);

  test('the doctor recognizes the cluster', async () => {
    const { by } = await doctor(bench.database.url);
    expect(by.cluster).toMatchObject({ status: 'warning', found: 'Galera, 3 nodes' });
    expect(by['claim-strategy']).toMatchObject({ found: 'compare-and-set' });
    expect(by['worker-session']).toMatchObject({ status: 'ok' });
  });

  test('of enqueues with one unique key on all nodes, one is stored', async () => {
    const unique = defineJob<number>('unique', { queue: 'unique', unique: { key: (payload) => String(payload) } });
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, payload) => queues.map((queue) => queue.enqueue(unique, payload))).flat(),
    );
    expect(new Set(results.map(({ id }) => id)).size).toBe(50);
    expect(await ask("SELECT COUNT(*) AS jobs FROM tq_job WHERE queue = 'unique'")).toEqual({ jobs: 50 });
  });

  test('a tick is fired once, on whichever node', async () => {
    const tick = defineJob('tick', { queue: 'tick' });
    await queues[0]!.recurring.set('tick', tick, undefined, { every: '1s' });
    const own = queues.map(
      (queue) =>
        new TableQueueWorker(queue, [jobHandler(tick, () => undefined)], {
          maintenance: { scheduler: '50ms' },
          logger: bench.logger,
        }),
    );
    await Promise.all(own.map((worker) => worker.start()));
    await waitFor('some have run', async () => {
      return (await ask("SELECT COUNT(*) AS jobs FROM tq_job WHERE finished_at > 0 AND queue = 'tick'")).jobs! >= 4;
    });
    await queues[0]!.recurring.remove('tick');
    await Promise.all(own.map((worker) => worker.stop()));
    const fired = await ask(
      'SELECT COUNT(*) AS jobs, COUNT(DISTINCT run_at) AS ticks FROM tq_job WHERE finished_at > 0',
    );
    expect(fired.jobs).toBe(fired.ticks);
  });

  test('a signal of one node wakes up a job that starts to wait on another at that moment', async () => {
    const approval = defineJob('approval', { queue: 'approval' });
    let isHeld = false;
    const handler = jobHandler(approval, async (_payload, { waitForSignal }) => {
      await waitFor('its waits cannot be stored', () => isHeld);
      return (await waitForSignal('go')).data;
    });
    const worker = new TableQueueWorker(queues[1]!, [handler], { logger: bench.logger });
    await worker.start();
    const { id } = await queues[1]!.enqueue(approval);
    await waitFor('it runs', async () => (await queues[1]!.find(id))?.state === 'running');
    const holder = dataSources[1]!.createQueryRunner();
    try {
      await holder.startTransaction('REPEATABLE READ');
      // The worker has looked for signals before it waits to store the wait.
      await holder.query('SELECT * FROM tq_step WHERE job_id = UNHEX(?) FOR UPDATE', [id.replaceAll('-', '')]);
      isHeld = true;
      const waits = "SELECT COUNT(*) AS waits FROM information_schema.processlist WHERE info LIKE 'INSERT%tq_step%'";
      await waitFor('it starts to wait', async () => (await ask(waits, 1)).waits === 1);
      await queues[0]!.signal(id, 'go', 42);
      expect(await ask('SELECT stage FROM tq_signal')).toEqual({ stage: 1 });
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
    expect(await queues[1]!.waitFor(id, { timeout: '30s' })).toBe(42);
    await worker.stop();
  });

  test(`jobs of ${KEYS} order keys from all nodes run in order on workers of all nodes, also while a node is killed`, async () => {
    const ordered = defineJob<{ readonly key: number; readonly number: number }>('ordered', {
      queue: 'ordered',
      order: { by: ({ key }) => String(key) },
    });
    const started = Array.from({ length: KEYS }, (): number[] => []);
    const running = new Set<number>();
    const overlaps: object[] = [];
    let succeeded = 0;
    const handler = jobHandler(ordered, async ({ key, number }) => {
      if (running.has(key)) {
        overlaps.push({ key, number });
      }
      running.add(key);
      started[key]!.push(number);
      await sleep(Math.random() * 30);
      running.delete(key);
    });
    const own = queues.map((queue) => {
      const worker = new TableQueueWorker(queue, [handler], { concurrency: 25, logger: bench.logger });
      worker.events.on('succeeded', () => succeeded++);
      return worker;
    });
    for (let round = 0; round < ROUNDS; round++) {
      if (round === ROUNDS / 2) {
        // Only now, so that several jobs of each key wait.
        await Promise.all(own.map((worker) => worker.start()));
        await waitFor('jobs have run', () => succeeded > KEYS, 60_000);
        cluster().nodes[1]!.kill();
      }
      const node = round % queues.length;
      await queues[node]!.enqueueMany(
        ordered,
        started.flatMap((_, key) => [2 * round, 2 * round + 1].map((number) => ({ payload: { key, number } }))),
      );
      // The next node must have applied the commit: without that, the order is that of the nodes.
      await ask(
        'SET STATEMENT wsrep_sync_wait = 1 FOR SELECT COUNT(*) AS jobs FROM tq_job',
        (node + 1) % queues.length,
      );
    }
    await cluster().nodes[1]!.restart();
    await untilEmpty();
    await Promise.all(own.map((worker) => worker.stop()));
    // An attempt whose outcome was lost with the node is repeated before the next job.
    expect(started.map((numbers) => numbers.filter((number, index) => number !== numbers[index - 1]))).toEqual(
      started.map(() => Array.from({ length: 2 * ROUNDS }, (_, number) => number)),
    );
    expect(overlaps).toEqual([]);
  }, 240_000);

  test('after a node is killed no job is lost, its workers continue on another node, and it can rejoin', async () => {
    await startWorkers({ lease: '10s' });
    await fill(FEWER_JOBS);
    await waitFor('some are done', async () => (await ask('SELECT COUNT(*) AS runs FROM run')).runs! > 100);
    cluster().nodes[1]!.kill();
    await waitFor('others go on', async () => (await ask('SELECT COUNT(*) AS runs FROM run')).runs! > 1_000, 60_000);
    await cluster().nodes[1]!.restart();
    await untilEmpty();
    await endWorkers('SIGTERM');
    // Two nodes that claimed a job at the same time would have run it with one attempt.
    const ends = await ask(
      `SELECT COUNT(*) AS jobs, SUM(attempt < (SELECT COUNT(*) FROM run WHERE job = payload)) AS claimedTwice
       FROM tq_job WHERE state = 'succeeded'`,
    );
    expect(ends).toEqual({ jobs: FEWER_JOBS, claimedTwice: 0 });
    const runs = await ask('SELECT COUNT(DISTINCT job) AS jobs, COUNT(DISTINCT process) AS processes FROM run');
    expect(runs).toEqual({ jobs: FEWER_JOBS, processes: 3 });
    // The node has received what was written while it was down. This waits until it has applied the last write.
    const settled = 'SET STATEMENT wsrep_sync_wait = 1 FOR SELECT COUNT(*) AS jobs FROM tq_job WHERE finished_at > 0';
    expect(await ask(settled, 1)).toEqual({ jobs: FEWER_JOBS });
  }, 240_000);

  test('a node whose data contradict those of the others gets theirs', async () => {
    // Gets the data of the next one. Not the last node: the test has connections to the first one.
    const node = cluster().nodes[1]!;
    const { id } = await queues[0]!.enqueue(countJob, 1);
    const url = node.url + new URL(bench.database.url).pathname;
    const connection = await mysql.createConnection(url);
    // Waits until the node has the job.
    await connection.query('SET STATEMENT wsrep_sync_wait = 1 FOR SELECT COUNT(*) FROM tq_job');
    await connection.query('SET SESSION wsrep_on = OFF');
    await connection.query('DELETE FROM tq_job');
    await queues[0]!.cancel(id);
    await waitFor('the node has left', async () => {
      const [[status]] = (await connection.query("SHOW STATUS LIKE 'wsrep_cluster_status'")) as unknown as [
        { readonly Value: string }[],
      ];
      return status?.Value !== 'Primary';
    });
    connection.destroy();
    node.kill();
    await node.restart();
    const again = await mysql.createConnection(url);
    const [jobs] = await again.query('SET STATEMENT wsrep_sync_wait = 1 FOR SELECT state FROM tq_job');
    await again.end();
    expect(jobs).toEqual([{ state: 'cancelled' }]);
  }, 120_000);
});

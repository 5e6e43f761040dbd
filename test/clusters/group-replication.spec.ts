import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { TableQueue, TableQueueWorker, jobHandler } from '@tablequeue/typeorm';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { describeCluster } from '../support/describe-cluster.js';
import { doctor } from '../support/doctor.js';
import { countJob, idleJob } from '../support/jobs.js';
import { primaryOf } from '../support/primary-of.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { Balancer } from '../servers/clusters/balancer.js';
import { waitFor } from '../support/wait-for.js';
import { WorkerProcess } from '../support/worker-process.js';

const JOBS = 5_000;
/** How long no job may end after the new primary accepts writes, in ms. */
const SOON = 5_000;

describeCluster('group-replication', 'a group with one primary', (cluster) => {
  /** Sends new connections to the primary, as a router does, and keeps the open ones. */
  let proxy: Balancer;
  let primary = 0;
  let path = '';
  let database: TestDatabase;
  let dataSource: DataSource;
  let queue: TableQueue;
  const workers: WorkerProcess[] = [];

  beforeAll(async () => {
    database = await createDatabase('mysql', cluster().nodes[0]!.url);
    path = new URL(database.url).pathname;
    proxy = new Balancer(() => [new URL(path, cluster().nodes[primary]!.url)]);
    await proxy.open();
    dataSource = await new DataSource(connectionOptions('mysql', proxy.url)).initialize();
    queue = new TableQueue(dataSource);
  });
  afterEach(async () => {
    await endWorkers('SIGKILL');
    for (const table of ['run', 'tq_job']) {
      await askNode(primary, `DELETE FROM ${table}`);
    }
  });
  afterAll(async () => {
    await dataSource.destroy();
    await proxy.cut();
  });

  async function startWorkers(): Promise<void> {
    const { url } = proxy;
    const options = { concurrency: 25, lease: '10s' } as const;
    workers.push(...Array.from({ length: 2 }, () => WorkerProcess.spawn({ ...database, url }, options)));
    await Promise.all(workers.map((worker) => worker.started()));
  }

  async function endWorkers(signal: NodeJS.Signals): Promise<void> {
    await Promise.all(workers.splice(0).map(({ child }) => child.end(signal)));
  }

  async function askNode(node: number, sql: string): Promise<RowDataPacket | undefined> {
    return (await askAll(sql, node))[0];
  }

  async function askAll(sql: string, node = primary): Promise<RowDataPacket[]> {
    const connection = await mysql.createConnection(new URL(path, cluster().nodes[node]!.url).href);
    try {
      const [rows] = await connection.query<RowDataPacket[]>(sql);
      return rows;
    } finally {
      await connection.end();
    }
  }

  /** Waits until one of the nodes is the primary, and sends new connections to it. */
  async function follow(nodes: readonly number[]): Promise<void> {
    const all = cluster().nodes;
    primary = all.indexOf(await primaryOf(nodes.map((node) => all[node]!)));
  }

  const count = async (table: string) =>
    Number((await askNode(primary, `SELECT COUNT(*) AS rows_in_it FROM ${table}`))?.rows_in_it);

  test('the doctor distinguishes the primary from the others, and finds a setting with which a new primary is outdated', async () => {
    const url = (node: number) => new URL(path, cluster().nodes[node]!.url).href;
    const found = async (node: number) => (await doctor(url(node))).by.cluster;
    expect(await found(0)).toMatchObject({ status: 'ok', found: expect.stringContaining('single primary') });
    expect(await found(1)).toMatchObject({ status: 'problem', found: expect.stringContaining('read-only') });
    await askNode(0, "SET GLOBAL group_replication_consistency = 'EVENTUAL'");
    expect(await found(0)).toMatchObject({ status: 'warning', found: expect.stringContaining('EVENTUAL') });
    await askNode(0, "SET GLOBAL group_replication_consistency = 'BEFORE_ON_PRIMARY_FAILOVER'");
  });

  test('queue and workers leave a demoted primary, although their connections stay open', async () => {
    const logger = new RecordingLogger();
    const worker = new TableQueueWorker(queue, [jobHandler(idleJob, () => undefined)], { logger });
    await worker.start();
    await queue.enqueue(idleJob, 0);
    await waitFor('it works', async () => (await count('tq_job WHERE finished_at > 0')) === 1);

    const next = (await askNode(1, 'SELECT @@server_uuid AS uuid'))?.uuid as string;
    await askNode(0, `SELECT group_replication_set_as_primary('${next}')`);
    await follow([1]);
    for (let number = 1; number <= 20; number++) {
      await queue.enqueue(idleJob, number);
    }
    await waitFor('all are done', async () => (await count('tq_job WHERE finished_at > 0')) === 21);
    await worker.stop();
    expect(await askAll('SELECT DISTINCT state, failures FROM tq_job WHERE finished_at > 0')).toEqual([
      { state: 'succeeded', failures: 0 },
    ]);
  }, 90_000);

  test('after the primary is killed, work continues on the next one, and every job ends', async () => {
    await startWorkers();
    await queue.enqueueMany(
      countJob,
      Array.from({ length: JOBS }, (_, payload) => ({ payload })),
    );
    await waitFor('some are done', async () => (await count('run')) > 200);
    const victim = primary;
    cluster().nodes[victim]!.kill();
    const killedAt = performance.now();
    await follow([0, 1, 2].filter((node) => node !== victim));
    const electedAt = performance.now();
    const before = await count('tq_job WHERE finished_at > 0');
    await waitFor('work goes on', async () => (await count('tq_job WHERE finished_at > 0')) > before);
    const resumed = performance.now() - electedAt;
    console.info(
      `group-replication: another primary after ${Math.round(electedAt - killedAt)} ms, ` +
        `work goes on ${Math.round(resumed)} ms later`,
    );
    await queue.enqueue(countJob, JOBS);
    await cluster().nodes[victim]!.restart();
    await waitFor('all are done', async () => (await count('tq_job WHERE finished_at = 0')) === 0, 90_000);
    await endWorkers('SIGTERM');

    expect(resumed).toBeLessThan(SOON);
    expect(await askAll('SELECT state, COUNT(*) AS jobs FROM tq_job WHERE finished_at > 0 GROUP BY state')).toEqual([
      { state: 'succeeded', jobs: JOBS + 1 },
    ]);
    expect(await askAll('SELECT COUNT(DISTINCT job) AS jobs FROM run')).toEqual([{ jobs: JOBS + 1 }]);
  }, 240_000);
});

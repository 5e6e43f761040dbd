/* A worker process of one deployment: its job's payload has the version of CONFIG. Reports the jobs it leaves. */
import { TableQueue, TableQueueWorker, jobHandler } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import { type DeploymentConfig, deployedJobs } from '../support/deployment.js';

const { engine, url, version } = JSON.parse(process.env.CONFIG ?? '{}') as DeploymentConfig;

const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
const count = async (job: number) => {
  await dataSource.query('INSERT INTO run (job, process) VALUES (?, ?)', [job, version]);
};
const handlers = {
  1: jobHandler(deployedJobs[1], count),
  2: jobHandler(deployedJobs[2], ({ number }) => count(number)),
};
const worker = new TableQueueWorker(new TableQueue(dataSource), [handlers[version]], { concurrency: 5 });
let left = 0;
worker.events.on('unhandled', (_job, _delay, reason) => {
  left++;
  process.send?.({ left, reason });
});
await worker.start();
process.send?.({ started: true });

process.once('SIGTERM', () => {
  void (async () => {
    await worker.stop();
    await dataSource.destroy();
    process.exit();
  })();
});

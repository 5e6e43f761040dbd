/* A worker that stops at a message of its parent. Its process ends when nothing keeps it alive. */
import { TableQueue, TableQueueWorker, jobHandler } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import { holdJob } from '../support/jobs.js';
import type { WorkerConfig } from '../support/worker-process.js';

const { engine, url } = JSON.parse(process.env.CONFIG ?? '{}') as WorkerConfig;

const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
const hold = jobHandler(holdJob, () => new Promise(() => process.send?.('held')));
const worker = new TableQueueWorker(new TableQueue(dataSource), [hold], { shutdownTimeout: '1s' });
process.once('message', () => {
  void worker.stop().then(() => process.send?.('stopped'));
});
await worker.start();
// The connections of the application are not the worker's concern.
await dataSource.destroy();

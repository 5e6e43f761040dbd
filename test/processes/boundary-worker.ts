/* A worker that is killed from outside at one of its statements. Each has its own queue. */
import { TableQueue, TableQueueWorker } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { type BoundaryConfig, boundaryHandlers } from '../support/boundaries/boundary-jobs.js';
import { connectionOptions } from '../support/connection-options.js';

const { engine, url, queue: name } = JSON.parse(process.env.CONFIG ?? '{}') as BoundaryConfig;
const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
const queue = new TableQueue(dataSource);
const worker = new TableQueueWorker(queue, boundaryHandlers(queue, name, process.pid), {
  lease: '2s',
  maintenance: false,
  pollInterval: '50ms',
});
await worker.start();
process.send?.('started');

/* A worker that is killed from outside at one of its statements. Each works on a queue of its own. */
import { TableQueue, TableQueueWorker } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { type StruckConfig, struckHandlers } from '../support/boundaries/struck-jobs.js';
import { connectionOptions } from '../support/connection-options.js';

const { engine, url, queue: name } = JSON.parse(process.env.CONFIG ?? '{}') as StruckConfig;
const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
const queue = new TableQueue(dataSource);
const worker = new TableQueueWorker(queue, struckHandlers(queue, name, process.pid), {
  lease: '2s',
  maintenance: false,
  pollInterval: '50ms',
});
await worker.start();
process.send?.('started');

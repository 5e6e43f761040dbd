/* Has all failed jobs run again: a process to be killed in the middle of it. */
import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import type { WorkerConfig } from '../support/worker-process.js';

const { engine, url } = JSON.parse(process.env.CONFIG ?? '{}') as WorkerConfig;

const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
process.send?.('begins');
await new TableQueue(dataSource).failed.retryMany({});
await dataSource.destroy();

/* Takes the lock "report", reports that to its parent, and holds it until it is killed. */
import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import type { WorkerConfig } from '../support/worker-process.js';

const { engine, url } = JSON.parse(process.env.CONFIG ?? '{}') as WorkerConfig;

const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
const lock = new TableQueue(dataSource).lock('report');
await lock.acquire();
process.send?.('held');

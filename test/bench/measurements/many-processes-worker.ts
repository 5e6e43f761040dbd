/* One of the worker processes of `many-processes.ts`. */
import { once } from 'node:events';

import { TableQueueWorker, jobHandler } from '@tablequeue/typeorm';

import type { Task } from '../client/task.js';
import { connect, numberJob } from './queue-database.js';

const { dataSource, queue } = await connect(JSON.parse(process.env.TASK ?? '') as Task);
let finished = 0;
const worker = new TableQueueWorker(queue, [jobHandler(numberJob, () => undefined)], {
  concurrency: Number(process.env.CONCURRENCY),
});
worker.events.on('succeeded', () => {
  if (finished++ === 0) {
    // Those of the same turn of the event loop in one message.
    setImmediate(() => {
      process.send?.(finished);
      finished = 0;
    });
  }
});
process.send?.('ready');
await once(process, 'message');
await worker.start();

process.once('SIGTERM', () => {
  void (async () => {
    await worker.stop();
    await dataSource.destroy();
    process.exit();
  })();
});

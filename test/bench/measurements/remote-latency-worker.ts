/* The receiving process of `remote-latency.ts`: a worker for each queue, so that one does not keep another awake. */
import { TableQueueWorker, jobHandler } from '@tablequeue/typeorm';

import type { Task } from '../client/task.js';
import { connect } from './queue-database.js';
import { type Received, timedJob } from './remote-latency.js';

const { dataSource, queue } = await connect(JSON.parse(process.env.TASK ?? '') as Task);
const names = JSON.parse(process.env.QUEUES ?? '') as string[];
const workers = names.map((name) => {
  const handler = jobHandler(timedJob(name), (sentAt) => {
    const latency = performance.timeOrigin + performance.now() - sentAt;
    process.send?.({ queue: name, latency } satisfies Received);
  });
  return new TableQueueWorker(queue, [handler]);
});
await Promise.all(workers.map((worker) => worker.start()));
process.send?.('started');

process.once('SIGTERM', () => {
  void (async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await dataSource.destroy();
    process.exit();
  })();
});

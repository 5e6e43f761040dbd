import { TableQueue, TableQueueWorker, jobHandler } from '@tablequeue/typeorm';

import { dataSource } from './database.js';
import { sendReceipt } from './jobs.js';

await dataSource.initialize();
const worker = new TableQueueWorker(new TableQueue(dataSource), [
  jobHandler(sendReceipt, async ({ order, email }, job) => {
    // A mail can be sent twice if the process dies here. Pass job.id to your mail provider, if it accepts a key.
    console.log(`receipt of order ${order} to ${email}, attempt ${job.attempt}`);
  }),
]);
await worker.start();
console.log('the worker has started');

async function stop(): Promise<void> {
  // Running jobs can finish.
  await worker.stop();
  await dataSource.destroy();
}
process.once('SIGTERM', () => void stop());

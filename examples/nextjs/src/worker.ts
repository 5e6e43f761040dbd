import { TableQueueWorker, jobHandler, openTableQueue } from '@tablequeue/typeorm';

import { sendReceipt } from './jobs';

const queue = await openTableQueue(process.env.DATABASE_URL!);
const worker = new TableQueueWorker(queue, [
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
  await queue.dataSource.destroy();
}
process.once('SIGTERM', () => void stop());

import { type TableQueue, TableQueueWorker, jobHandler } from '@tablequeue/typeorm';

import { numberJob } from './queue-database.js';

/** Starts a worker and waits until it has done so many jobs. It goes on working. */
export async function workOff(queue: TableQueue, jobs: number, concurrency: number): Promise<TableQueueWorker> {
  const worker = new TableQueueWorker(queue, [jobHandler(numberJob, () => undefined)], { concurrency });
  let left = jobs;
  const done = new Promise<void>((resolve) => worker.events.on('succeeded', () => --left === 0 && resolve()));
  await worker.start();
  await done;
  return worker;
}

import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';

import type { Metrics, Task } from '../client/task.js';
import { connectToEmpty } from './queue-database.js';
import { statementsOf } from './server-status.js';

/** A worker that has just started looks more often for a moment. */
const SETTLES = 2_000;

const QUEUES = 50;

/** How many statements an idle worker with many queues sends. */
export async function idleStatements(task: Task): Promise<Metrics> {
  const { dataSource, queue } = await connectToEmpty(task);
  const handlers = Array.from({ length: QUEUES }, (_, index) => {
    return jobHandler(defineJob(`idle-${index}`, { queue: `idle-${index}` }), () => undefined);
  });
  const worker = new TableQueueWorker(queue, handlers);
  await worker.start();
  await sleep(SETTLES);
  const before = await statementsOf(dataSource);
  const since = performance.now();
  await sleep(task.counts.idle);
  // Reading the counter is a statement too.
  const sent = (await statementsOf(dataSource)) - before - 1;
  const elapsed = performance.now() - since;
  await worker.stop();
  await dataSource.destroy();
  return { 'idle statements /s, 50 queues': (sent / elapsed) * 1000 };
}

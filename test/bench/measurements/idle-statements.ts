import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import type { Metrics, Task } from '../client/task.js';
import { connectToEmpty } from './queue-database.js';

/** A worker that has just started looks more often for a moment. */
const SETTLES = 2_000;

/** How many statements an idle worker sends, with one queue and with many. */
export async function idleStatements(task: Task): Promise<Metrics> {
  const { dataSource, queue } = await connectToEmpty(task);
  const perSecond = async (queues: number) => {
    const handlers = Array.from({ length: queues }, (_, index) => {
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
    return (sent / elapsed) * 1000;
  };
  const metrics = {
    'idle statements /s, 1 queue': await perSecond(1),
    'idle statements /s, 50 queues': await perSecond(50),
  };
  await dataSource.destroy();
  return metrics;
}

async function statementsOf(dataSource: DataSource): Promise<number> {
  const [row] = (await dataSource.query("SHOW GLOBAL STATUS LIKE 'Questions'")) as { Value: string }[];
  return Number(row?.Value);
}

/* A worker of the soak. */
import { type JobInfo, TableQueue, TableQueueWorker } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../../support/connection-options.js';
import { soakHandlers } from '../load/handlers.js';
import { MEANT, durableJob, effectJob, tickJob } from '../load/jobs.js';
import { runInside } from './inside.js';

/** How many times finished jobs are pruned while one of them is kept. */
const PRUNED = 10;
/** The jobs that enqueue another. */
const PARENTS = new Set([effectJob.name, durableJob.name]);
/** So many of each queue at a time that a claim brings what a slow moment has left. */
const CONCURRENCY = 50;

await runInside(async ({ engine, url, retentionAge }) => {
  const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
  const queue = new TableQueue(dataSource);
  const counts = { started: 0, ended: 0, ticks: 0, followers: 0, retried: 0, lost: 0, stalled: 0, errors: 0 };
  const latencies: number[] = [];
  const rule = { age: retentionAge };
  const noteError = (message: string) => {
    if (!message.includes(MEANT)) {
      counts.errors++;
      console.error(message);
    }
  };
  const worker = new TableQueueWorker(
    queue,
    soakHandlers(queue, (ms) => latencies.push(ms)),
    {
      concurrency: CONCURRENCY,
      maintenance: { pruner: retentionAge / PRUNED },
      retention: { succeeded: rule, failed: rule, cancelled: rule, expired: rule, audit: rule },
      logger: { log: () => undefined, warn: noteError, error: noteError },
    },
  );
  worker.events.on('started', () => counts.started++);
  for (const event of ['succeeded', 'failed', 'cancelled', 'expired'] as const) {
    worker.events.on(event, ({ name }: JobInfo) => {
      counts.ended++;
      counts.ticks += Number(name === tickJob.name);
      counts.followers += Number(event === 'succeeded' && PARENTS.has(name));
    });
  }
  for (const event of ['retried', 'lost', 'stalled'] as const) {
    worker.events.on(event, () => counts[event]++);
  }
  await worker.start();
  return {
    counts,
    latencies,
    stop: async () => {
      await worker.stop();
      await dataSource.destroy();
    },
  };
});

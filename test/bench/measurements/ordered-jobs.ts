import { TableQueueWorker, UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';

import type { Metrics, Task } from '../client/task.js';
import { median } from '../statistics.js';
import { type QueueDatabase, connectToEmpty, numberJob, storeNumbers } from './queue-database.js';
import { type Drained, drain } from './work-off.js';

const CONCURRENCY = 200;
const KEYS = 10_000;
const BEHIND = 100_000;
const ROUNDS = 3;
/** Keys of the drained jobs with an order, and jobs of each. */
const DRAINED_KEYS = 500;
const JOBS_OF_KEY = 4;

const { queue: queueName } = numberJob;
/** Its key is the payload modulo `DRAINED_KEYS`. */
const ordered = defineJob<number>('ordered', {
  queue: queueName,
  order: { by: (number) => `key ${number % DRAINED_KEYS}` },
});
const blocking = defineJob<string>('blocking', { queue: queueName, order: { by: (key) => key } });

/**
 * What ordered jobs cost other jobs of their queue. It drains plain and ordered jobs in an empty queue, then beside
 * 10,000 blocked keys, then beside a blocked key with 100,000 jobs behind it.
 */
export async function orderedJobs(task: Task): Promise<Metrics> {
  const database = await connectToEmpty(task);
  const { queue } = database;
  const jobs = task.counts.snapshot;
  const plain = async () => {
    await storeNumbers(queue, jobs);
    return drain(task, queue, jobs, CONCURRENCY);
  };
  const inOrder = async () => {
    const numbers = Array.from({ length: DRAINED_KEYS * JOBS_OF_KEY }, (_, payload) => ({ payload }));
    await queue.enqueueMany(ordered, numbers);
    return drain(task, queue, numbers.length, CONCURRENCY, ordered);
  };
  // The first compile the code.
  await plain();
  await inOrder();
  const metrics: Record<string, number> = {};
  const measure = async (beside: string) => {
    const rounds: { readonly plain: Drained; readonly inOrder: Drained }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ plain: await plain(), inOrder: await inOrder() });
    }
    for (const kind of ['plain', 'inOrder'] as const) {
      const name = `${kind === 'plain' ? 'plain' : 'ordered'} jobs beside ${beside}`;
      metrics[`${name}, jobs/s`] = median(rounds.map((round) => round[kind].rate));
      metrics[`${name}, server CPU µs`] = median(rounds.map((round) => round[kind].serverCpu));
    }
  };
  await measure('none');
  const keys = Array.from({ length: KEYS }, (_, number) => `blocked ${number}`);
  await block(database, keys);
  await measure('10,000 blocked keys');
  for (let from = 0; from < BEHIND; from += 5_000) {
    await queue.enqueueMany(
      blocking,
      Array.from({ length: 5_000 }, () => ({ payload: 'blocked 0' })),
    );
  }
  await measure('100,000 jobs behind one of them');
  await database.dataSource.destroy();
  return metrics;
}

/** Lets the first job of each key fail for good, and stores one behind it. */
async function block({ queue }: QueueDatabase, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += 5_000) {
    await queue.enqueueMany(
      blocking,
      keys.slice(from, from + 5_000).map((payload) => ({ payload })),
    );
  }
  const failing = jobHandler(blocking, () => {
    throw new UnrecoverableJobError('blocks its key');
  });
  const logger = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const worker = new TableQueueWorker(queue, [failing], { concurrency: CONCURRENCY, logger });
  let left = keys.length;
  const failed = new Promise<void>((resolve) => worker.events.on('failed', () => --left === 0 && resolve()));
  await worker.start();
  await failed;
  await worker.stop();
  for (let from = 0; from < keys.length; from += 5_000) {
    await queue.enqueueMany(
      blocking,
      keys.slice(from, from + 5_000).map((payload) => ({ payload })),
    );
  }
}

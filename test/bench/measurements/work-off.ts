import { type TableQueue, TableQueueWorker, jobHandler } from '@tablequeue/typeorm';

import type { Task } from '../client/task.js';
import { costOf } from '../process-cost.js';
import { numberJob } from './queue-database.js';

/** Starts a worker and waits until it has done so many jobs. It goes on working. */
export async function workOff(
  queue: TableQueue,
  jobs: number,
  concurrency: number,
  definition = numberJob,
): Promise<TableQueueWorker> {
  const worker = new TableQueueWorker(queue, [jobHandler(definition, () => undefined)], { concurrency });
  let left = jobs;
  const done = new Promise<void>((resolve) => worker.events.on('succeeded', () => --left === 0 && resolve()));
  await worker.start();
  await done;
  return worker;
}

/** What a drain takes. */
export interface Drained {
  /** Jobs a second. */
  readonly rate: number;
  /** The CPU time of the server for a job, in µs. On a busy machine it changes less than the rate. */
  readonly serverCpu: number;
}

/** Measures how long a worker takes for so many jobs. */
export async function drain(
  { serverProcess }: Task,
  queue: TableQueue,
  jobs: number,
  concurrency: number,
  definition = numberJob,
): Promise<Drained> {
  const cpu = costOf(serverProcess)?.cpu ?? NaN;
  const since = performance.now();
  const worker = await workOff(queue, jobs, concurrency, definition);
  const time = performance.now() - since;
  const serverCpu = (((costOf(serverProcess)?.cpu ?? NaN) - cpu) * 1_000) / jobs;
  await worker.stop();
  return { rate: (jobs * 1_000) / time, serverCpu };
}

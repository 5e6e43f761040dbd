import { setTimeout as sleep } from 'node:timers/promises';

import { defineJob } from '@tablequeue/typeorm';

import { ChildProcess } from '../../support/child-process.js';
import type { Metrics, Task } from '../client/task.js';
import { percentile } from '../statistics.js';
import { type QueueDatabase, connectToEmpty } from './queue-database.js';

const WORKER = new URL('remote-latency-worker.js', import.meta.url);
/** How many queues are left in silence; each gives one sample. */
const SILENT = 60;
/**
 * Over how many ms the jobs of the silent queues are spread at least, or over what share of the silence. A worker that
 * has just had a job polls often for five seconds.
 */
const SPREAD = 3_000;
const SPREAD_PART = 1 / 3;
/** The first jobs of a busy queue are not counted. */
const WARM_UP = 10;

/** The job of a queue; its payload is the time of the call, in ms since 1970 with a fraction. */
export function timedJob(queue: string) {
  return defineJob<number>(`timed-${queue}`, { queue });
}

/** The report of the receiving process on each job. */
export interface Received {
  readonly queue: string;
  /** In ms. */
  readonly latency: number;
}

/** From the call of enqueue to the start of the handler in another process: on a busy queue and after a silence. */
export async function remoteLatency(task: Task): Promise<Metrics> {
  const database = await connectToEmpty(task);
  const busy: number[] = [];
  await withReceiver(task, ['busy'], async (latencyOf) => {
    for (let number = 0; number < task.counts.latency / 2 + WARM_UP; number++) {
      busy.push(await latencyOf(database, 'busy'));
      // At any moment of the worker's own rhythm.
      await sleep(Math.random() * 80);
    }
  });
  const silentQueues = Array.from({ length: SILENT }, (_, index) => `silent-${index}`);
  const { silence, silences } = task.counts;
  const silent: number[] = [];
  await withReceiver(task, silentQueues, async (latencyOf) => {
    for (let count = 0; count < silences; count++) {
      await sleep(silence);
      const spread = Math.max(SPREAD, silence * SPREAD_PART);
      const latencies = silentQueues.map(async (name) => {
        await sleep(Math.random() * spread);
        return latencyOf(database, name);
      });
      silent.push(...(await Promise.all(latencies)));
    }
  });
  await database.dataSource.destroy();
  return {
    'remote latency p50 ms': percentile(busy.slice(WARM_UP), 0.5),
    'remote latency p99 ms': percentile(busy.slice(WARM_UP), 0.99),
    'remote latency after silence p50 ms': percentile(silent, 0.5),
  };
}

/** Runs a process with a worker for each queue. */
async function withReceiver(
  task: Task,
  queues: readonly string[],
  use: (latencyOf: (database: QueueDatabase, queue: string) => Promise<number>) => Promise<void>,
): Promise<void> {
  const receiver = ChildProcess.start(WORKER, { TASK: JSON.stringify(task), QUEUES: JSON.stringify(queues) });
  await receiver.nextMessage();
  const waiting = new Map<string, (latency: number) => void>();
  receiver.onMessage((message) => {
    const { queue, latency } = message as Received;
    waiting.get(queue)?.(latency);
  });
  await use(async ({ queue }, name) => {
    const received = new Promise<number>((resolve) => waiting.set(name, resolve));
    await queue.enqueue(timedJob(name), performance.timeOrigin + performance.now());
    return received;
  });
  await receiver.end('SIGTERM');
}

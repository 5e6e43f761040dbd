import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { defineJob } from '@tablequeue/typeorm';

import type { Metrics, Task } from '../client/task.js';
import { percentile } from '../statistics.js';
import { type QueueDatabase, connectToEmpty } from './queue-database.js';

/** How many queues are left in silence; each gives one sample. */
const SILENT = 60;
/** The first jobs of a busy queue are not counted. */
const WARM_UP = 10;

/** The job of a queue; its payload is the time of the call, in ms since 1970 with a fraction. */
export function timedJob(queue: string) {
  return defineJob<number>(`timed-${queue}`, { queue });
}

/** From the call of enqueue to the start of the handler in another process: on a busy queue and after a silence. */
export async function remoteLatency(task: Task): Promise<Metrics> {
  const database = await connectToEmpty(task);
  const busy = await latencies(
    database,
    task,
    Array.from({ length: task.counts.latency / 2 + WARM_UP }, () => 'busy'),
    // At any moment of the worker's own rhythm.
    { before: 0, between: 80 },
  );
  const silent = await latencies(
    database,
    task,
    Array.from({ length: SILENT }, (_, index) => `silent-${index}`),
    { before: task.counts.silence, between: 100 },
  );
  await database.dataSource.destroy();
  return {
    'remote latency p50 ms': percentile(busy.slice(WARM_UP), 0.5),
    'remote latency p99 ms': percentile(busy.slice(WARM_UP), 0.99),
    'remote latency after silence p50 ms': percentile(silent, 0.5),
  };
}

async function latencies(
  { queue }: QueueDatabase,
  task: Task,
  queues: readonly string[],
  waits: { readonly before: number; readonly between: number },
): Promise<number[]> {
  const receiver = spawn(process.execPath, [fileURLToPath(new URL('remote-latency-worker.js', import.meta.url))], {
    env: { ...process.env, TASK: JSON.stringify(task), QUEUES: JSON.stringify([...new Set(queues)]) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const killAtExit = () => receiver.kill('SIGKILL');
  process.on('exit', killAtExit);
  await once(receiver, 'message');
  await sleep(waits.before);
  const measured: number[] = [];
  for (const name of queues) {
    const received = once(receiver, 'message') as Promise<[number]>;
    await queue.enqueue(timedJob(name), performance.timeOrigin + performance.now());
    measured.push((await received)[0]);
    await sleep(Math.random() * waits.between);
  }
  receiver.kill('SIGTERM');
  await once(receiver, 'exit');
  process.off('exit', killAtExit);
  return measured;
}

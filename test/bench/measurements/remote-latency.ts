import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { defineJob } from '@tablequeue/typeorm';

import type { Metrics, Task } from '../client/task.js';
import { percentile } from '../statistics.js';
import { connectToEmpty } from './queue-database.js';

/** Queues that are left in silence; each gives one sample. */
export const SILENT = 10;

/** The job of a queue; its payload is the time of the call, in ms since 1970 with a fraction. */
export function timedJob(queue: string) {
  return defineJob<number>(`timed-${queue}`, { queue });
}

/** From the call of enqueue to the start of the handler in another process: on a busy queue and after a silence. */
export async function remoteLatency(task: Task): Promise<Metrics> {
  const { dataSource, queue } = await connectToEmpty(task);
  const receiver = spawn(process.execPath, [fileURLToPath(new URL('remote-latency-worker.js', import.meta.url))], {
    env: { ...process.env, TASK: JSON.stringify(task) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const killAtExit = () => receiver.kill('SIGKILL');
  process.on('exit', killAtExit);
  await once(receiver, 'message');

  const latencies: number[] = [];
  let onLatency: () => void = () => undefined;
  receiver.on('message', (latency: number) => {
    latencies.push(latency);
    onLatency();
  });
  const sample = async (name: string) => {
    const received = new Promise<void>((resolve) => (onLatency = resolve));
    await queue.enqueue(timedJob(name), performance.timeOrigin + performance.now());
    await received;
  };
  for (let number = 0; number < task.counts.latency / 2 + 10; number++) {
    await sample('busy');
    // At any moment of the worker's own rhythm.
    await sleep(20 + Math.random() * 60);
  }
  const busy = latencies.splice(0).slice(10);
  await sleep(task.counts.silence);
  for (let index = 0; index < SILENT; index++) {
    await sample(`silent-${index}`);
    await sleep(Math.random() * 300);
  }
  receiver.kill('SIGTERM');
  await once(receiver, 'exit');
  process.off('exit', killAtExit);
  await dataSource.destroy();
  return {
    'remote latency p50 ms': percentile(busy, 0.5),
    'remote latency p99 ms': percentile(busy, 0.99),
    'remote latency after silence p50 ms': percentile(latencies, 0.5),
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';

import { ChildProcess } from '../../support/child-process.js';
import type { Metrics, Task } from '../client/task.js';
import { percentile } from '../statistics.js';
import { connectionsOf, statementsOf } from './server-status.js';
import { connectToEmpty } from './queue-database.js';

const SIGNALLER = new URL('waiting-jobs-signaller.js', import.meta.url);
/** How long a worker takes until it is idle, in ms. */
const SETTLES = 10_000;

/** The signal that jobs wait for. */
export const AWAITED = 'go';

const waitingJob = defineJob('waiting', { queue: 'waiting' });
/** Its payload is how long it sleeps, in ms. */
const sleepingJob = defineJob<number>('sleeping', { queue: 'sleeping' });
const TEN_DAYS = 10 * 24 * 3_600_000;
const WARM_UP = 10_000;
const CHUNK = 5_000;

/** From a signal to the handler that goes on, in one process and from another; and what jobs cost that sleep. */
export async function waitingJobs(task: Task): Promise<Metrics> {
  const { counts } = task;
  const { dataSource, queue } = await connectToEmpty(task);
  let onResumed: (at: number) => void = () => undefined;
  const worker = new TableQueueWorker(queue, [
    jobHandler(waitingJob, async (_payload, job) => {
      await job.waitForSignal(AWAITED);
      onResumed(now());
    }),
    jobHandler(sleepingJob, (duration, job) => job.sleep(duration)),
  ]);
  await worker.start();
  const signaller = ChildProcess.start(SIGNALLER, { TASK: JSON.stringify(task) });
  await signaller.nextMessage();

  /** Sends a signal to a new job that waits. @returns how long it took, in ms. */
  const resume = async (send: (id: string) => Promise<number>): Promise<number> => {
    const parked = new Promise((resolve) => worker.events.once('parked', resolve));
    const { id } = await queue.enqueue(waitingJob);
    await parked;
    const resumed = new Promise<number>((resolve) => (onResumed = resolve));
    const since = await send(id);
    return (await resumed) - since;
  };
  const sendHere = async (id: string) => {
    const since = now();
    await queue.signal(id, AWAITED);
    return since;
  };
  const sendThere = async (id: string) => {
    const sent = signaller.nextMessage();
    signaller.send(id);
    return (await sent) as number;
  };
  const here: number[] = [];
  const there: number[] = [];
  for (let number = 0; number < counts.signals; number++) {
    here.push(await resume(sendHere));
    there.push(await resume(sendThere));
  }
  await signaller.end('SIGTERM');

  /** Runs jobs until all of them sleep. */
  const runSleeping = async (jobs: number, payload: number) => {
    let left = jobs;
    const asleep = new Promise<void>((resolve) => {
      worker.events.on('parked', () => --left === 0 && resolve());
    });
    for (let stored = 0; stored < jobs; stored += CHUNK) {
      await queue.enqueueMany(
        sleepingJob,
        Array.from({ length: CHUNK }, () => ({ payload })),
      );
    }
    await asleep;
  };
  const idle = async () => {
    await sleep(SETTLES);
    collectGarbage();
    const before = await statementsOf(dataSource);
    await sleep(counts.idle);
    // Reading the counter is a statement too.
    const statements = (await statementsOf(dataSource)) - before - 1;
    return { statements, heap: process.memoryUsage().heapUsed, connections: await connectionsOf(dataSource) };
  };
  // Connections are opened and code is compiled.
  await runSleeping(WARM_UP, 1);
  const before = await idle();
  await runSleeping(counts.sleeping, TEN_DAYS);
  const after = await idle();
  await worker.stop();
  await dataSource.destroy();
  return {
    'signal p50 ms': percentile(here, 0.5),
    'signal p99 ms': percentile(here, 0.99),
    'remote signal p50 ms': percentile(there, 0.5),
    'remote signal p99 ms': percentile(there, 0.99),
    'sleeping jobs, heap MB': (after.heap - before.heap) / 1_000_000,
    'sleeping jobs, connections': after.connections - before.connections,
    'sleeping jobs, statements /s': ((after.statements - before.statements) / counts.idle) * 1000,
  };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** A clock that processes of one machine share, in ms. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

import { setTimeout as sleep } from 'node:timers/promises';

import type { FaultPlan } from '../faults/fault-plan.js';
import type { ResolvedOptions } from '../options.js';
import type { ProcessPool } from '../processes/process-pool.js';
import { isDoneWithin } from '../timing/is-done-within.js';

/** How long producers may take to stop enqueuing, in ms. A server waits for a lock for up to 50 s. */
const STOP_PRODUCING_TIMEOUT = 120_000;
/** The share of the load after which the heaps of the processes are measured for the first time. */
const WARM_UP = 0.3;

/** Lets producers enqueue while faults occur. At the end all faults are healed, and nothing more is enqueued. */
export async function runLoad(
  pool: ProcessPool,
  plan: FaultPlan,
  { durationMs, onProgress }: ResolvedOptions,
  problems: string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const over = new AbortController();
  const faults = plan.run(signal ? AbortSignal.any([signal, over.signal]) : over.signal);
  try {
    await waitForLoad(pool, durationMs * WARM_UP, signal);
    pool.send({ type: 'measure-heap' });
    await waitForLoad(pool, durationMs * (1 - WARM_UP), signal);
  } finally {
    over.abort();
    await faults;
    problems.push(...plan.problems);
  }
  onProgress('healed');
  if (!(await isDoneWithin(STOP_PRODUCING_TIMEOUT, stopProducing(pool), signal))) {
    const names = pool.running('producer').flatMap(({ isDoneProducing, name }) => (isDoneProducing ? [] : [name]));
    const seconds = STOP_PRODUCING_TIMEOUT / 1000;
    problems.push(`Still enqueuing ${seconds} s after all faults were healed: ${names.join(', ')}.`);
  }
}

/** Waits until the time is over, or all jobs are enqueued. */
async function waitForLoad(pool: ProcessPool, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end && !pool.isDoneProducing) {
    signal?.throwIfAborted();
    await sleep(100);
  }
}

/** Resolves when no producer enqueues anything more, and every enqueue has been answered. */
async function stopProducing(pool: ProcessPool): Promise<void> {
  const producers = pool.running('producer');
  // A process that has just replaced another one does not receive commands earlier.
  await Promise.all(producers.map(({ ready }) => ready));
  pool.send({ type: 'stop-producing' }, 'producer');
  await Promise.all(producers.map(({ doneProducing }) => doneProducing));
}

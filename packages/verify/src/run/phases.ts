import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueueSubscription } from '@tablequeue/typeorm/internal';
import type { DataSource } from 'typeorm';

import { answered } from '../answered.js';
import { type ClientPorts, DISCONNECT_TIMEOUT, openPorts } from '../connections.js';
import type { ProcessEvidence } from '../evidence/gathered-evidence.js';
import type { FaultPlan } from '../faults/fault-plan.js';
import type { ResolvedOptions } from '../options.js';
import type { ProcessPool } from '../processes/process-pool.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';
import { isDoneWithin } from '../timing.js';
import { countUnfinished } from '../workload/count-unfinished.js';
import { HISTORY } from '../workload/events.js';

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

/** How long a worker may take to register the late subscription after all faults, in ms, plus two leases. */
const SUBSCRIBED_AFTER = 15_000;

/**
 * Waits until the late subscription is registered: until then no job shows that there is more to do. It returns without
 * one if the server has lost the registration.
 */
export async function waitUntilSubscribed(
  dataSource: DataSource,
  { lease }: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const since = performance.now();
  const subscriptions = dataSource.getRepository(TableQueueSubscription);
  while (
    performance.now() - since < SUBSCRIBED_AFTER + 2 * lease &&
    (await answered('find a subscription', () => subscriptions.countBy({ name: HISTORY.subscription }))) === 0
  ) {
    signal?.throwIfAborted();
    await sleep(100);
  }
}

/** How long the number of unfinished jobs may stay the same, without any fault, in ms, plus two leases. */
const STALLED_AFTER = 30_000;

/** Waits until no job is unfinished, or until their number no longer falls. Recurring jobs do not count. */
export async function waitUntilEmpty(
  dataSource: DataSource,
  { lease, onProgress }: ResolvedOptions,
  signal: AbortSignal | undefined,
  beforeEachLook: () => Promise<void>,
): Promise<void> {
  let fewest = Infinity;
  let since = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const count = await answered('count the unfinished jobs', async () => {
      await beforeEachLook();
      return countUnfinished(dataSource);
    });
    if (count === 0) {
      return;
    }
    if (count < fewest) {
      onProgress(`${count} jobs remaining`);
      [fewest, since] = [count, performance.now()];
    }
    if (performance.now() - since > STALLED_AFTER + 2 * lease) {
      onProgress(`${count} jobs do not end`);
      return;
    }
    await sleep(100);
  }
}

/** How long a process may take to stop in order, in ms. */
const STOP_TIMEOUT = 30_000;

/** Stops all processes in order, and returns what they reported and left open. */
export async function stopProcesses(
  pool: ProcessPool,
  dataSource: DataSource,
  ownPorts: ClientPorts,
  proxy: FaultProxy | undefined,
): Promise<ProcessEvidence[]> {
  pool.stopReplacing();
  const running = pool.running();
  pool.send({ type: 'stop' });
  await isDoneWithin(STOP_TIMEOUT, Promise.all(running.map(({ ended }) => ended)));
  await pool.kill();

  const intersect = (ports: Iterable<number>, open: ReadonlySet<number>) => [...ports].filter((port) => open.has(port));
  const reported = pool.all.flatMap(({ report }) => report?.ports ?? []);
  const since = performance.now();
  const find = () => answered('list the connections', () => openPorts(dataSource, ownPorts, proxy));
  let open = await find();
  while (intersect(reported, open).length > 0 && performance.now() - since < DISCONNECT_TIMEOUT) {
    await sleep(50);
    open = await find();
  }
  return pool.all.map(({ name, role, report, unexpectedExit, wasAskedToStop }) => ({
    name,
    role,
    report,
    unexpectedExit,
    wasAskedToStop,
    openPorts: intersect(report?.ports ?? [], open),
  }));
}

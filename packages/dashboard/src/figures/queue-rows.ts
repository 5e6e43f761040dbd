import type { QueueControlState, Throughput } from '@tablequeue/typeorm';
import type { DatabaseStats, QueueStats } from '@tablequeue/typeorm/internal';

import type { QueueLimits, QueueRow } from '../contract/index.js';
import { endedOf } from './ended.js';

const NONE = { count: 0, isCapped: false };
const NO_LIMITS: QueueLimits = { concurrency: null, rate: null, perTenant: null };

/** What queue rows are made of, and what tells which of them somebody has to look at. */
export interface QueueFacts {
  readonly stats: DatabaseStats;
  readonly settings: readonly QueueControlState[];
  /** Of the last hour. */
  readonly throughput: Throughput;
}

/** One row for each queue that has jobs, settings or workers, or had some within the hour; by name. */
export function queueRows({ stats, settings, throughput }: QueueFacts): QueueRow[] {
  const limits = new Map(settings.map((each) => [each.queue, limitsOf(each)]));
  const points = new Map(throughput.queues.map((each) => [each.queue, each.points]));
  const known = new Map(stats.queues.map((each) => [each.queue, each]));
  const names = new Set([...known.keys(), ...points.keys(), ...stats.workers.flatMap(({ queues }) => queues)]);
  return [...names].sort().map((queue) => {
    const { counts, oldestReadyAge, pausedAt } = known.get(queue) ?? idle(queue);
    return {
      queue,
      counts,
      oldestReady: oldestReadyAge ?? null,
      ...endedOf(points.get(queue) ?? [], throughput),
      pausedAt: pausedAt ?? null,
      ...workersOf(stats, queue),
      limits: limits.get(queue) ?? NO_LIMITS,
    };
  });
}

function idle(queue: string): QueueStats {
  const counts = { waiting: NONE, scheduled: NONE, ready: NONE, running: NONE };
  return { queue, counts, oldestReadyAge: undefined, failed: 0, pausedAt: undefined };
}

/** How many processes work on a queue, and what it weighs there. */
function workersOf({ workers }: DatabaseStats, queue: string): Pick<QueueRow, 'workers' | 'weights'> {
  const own = workers.filter(({ leaseLeft, queues }) => leaseLeft > 0 && queues.includes(queue));
  const weights = new Set(own.map((worker) => worker.weights[queue] ?? 1));
  return { workers: own.length, weights: [...weights].sort((one, other) => one - other) };
}

function limitsOf({ concurrency, concurrencyPerTenant, rate }: QueueControlState): QueueLimits {
  return { concurrency: concurrency ?? null, rate: rate ?? null, perTenant: concurrencyPerTenant ?? null };
}

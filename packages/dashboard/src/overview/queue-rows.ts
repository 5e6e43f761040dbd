import type { QueueControlState, Throughput } from '@tablequeue/typeorm';
import { type DatabaseStats, type QueueStats, defaultBurst } from '@tablequeue/typeorm/internal';

import type { QueueLimits, QueueRow, RateLimit } from '../contract/index.js';
import { recentThroughput } from './recent-throughput.js';

const NONE = { count: 0, isCapped: false };
const NO_LIMITS: QueueLimits = {
  concurrency: null,
  rate: null,
  perTenant: null,
  ratePerTenant: null,
  maxLength: null,
};

/** The data that queue rows, and the problems that need attention, are computed from. */
export interface QueueFacts {
  readonly stats: DatabaseStats;
  readonly settings: readonly QueueControlState[];
  /** In the last hour. */
  readonly throughput: Throughput;
}

/** Returns a row for each queue that has jobs, settings or workers, or had jobs in the last hour; ordered by name. */
export function queueRows({ stats, settings, throughput }: QueueFacts): QueueRow[] {
  const limits = new Map(settings.map((each) => [each.queue, toLimits(each)]));
  const points = new Map(throughput.queues.map((each) => [each.queue, each.points]));
  const known = new Map(stats.queues.map((each) => [each.queue, each]));
  const names = new Set([...known.keys(), ...points.keys(), ...stats.workers.flatMap(({ queues }) => queues)]);
  return [...names].sort().map((queue) => {
    const { counts, oldestReadyAge, pausedAt } = known.get(queue) ?? idle(queue);
    return {
      queue,
      counts,
      oldestReady: oldestReadyAge ?? null,
      ...recentThroughput(points.get(queue) ?? [], throughput),
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

/** Counts the processes that work on a queue, and lists its weights there. */
function workersOf({ workers }: DatabaseStats, queue: string): Pick<QueueRow, 'workers' | 'weights'> {
  const own = workers.filter(({ leaseLeft, queues }) => leaseLeft > 0 && queues.includes(queue));
  const weights = new Set(own.map((worker) => worker.weights[queue] ?? 1));
  return { workers: own.length, weights: [...weights].sort((one, other) => one - other) };
}

function toLimits(settings: QueueControlState): QueueLimits {
  const { concurrency, concurrencyPerTenant, rate, ratePerTenant, maxLength } = settings;
  return {
    concurrency: concurrency ?? null,
    rate: toRate(rate),
    perTenant: concurrencyPerTenant ?? null,
    ratePerTenant: toRate(ratePerTenant),
    maxLength: maxLength ?? null,
  };
}

/** The default burst is left out, so that it follows when the rate is edited. */
function toRate(rate: QueueControlState['rate']): RateLimit | null {
  if (!rate) {
    return null;
  }
  const { jobs, per, burst } = rate;
  return { jobs, per, burst: burst === defaultBurst({ jobs, window: per }) ? null : burst };
}

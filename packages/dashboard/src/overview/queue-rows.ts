import type { QueueControlState, Throughput } from '@tablequeue/typeorm';
import { type DetailedHealth, type RegisteredWorker, defaultBurst } from '@tablequeue/typeorm/internal';

import type { QueueLimits, QueueRow, RateLimit, Totals } from '../contract/index.js';
import { recentThroughput } from './recent-throughput.js';

const NO_LIMITS: QueueLimits = {
  concurrency: null,
  rate: null,
  perTenant: null,
  ratePerTenant: null,
  maxLength: null,
};

/** The data that queue rows are computed from. */
export interface QueueFacts {
  readonly takenAt: number;
  /** Those with a lease. */
  readonly workers: readonly RegisteredWorker[];
  readonly settings: readonly QueueControlState[];
  /** In the last hour. */
  readonly throughput: Throughput;
  readonly totals: ReadonlyMap<string, Totals>;
  readonly health: DetailedHealth;
}

/** Returns a row for each queue that has jobs, settings or workers, or had jobs in the last hour; ordered by name. */
export function queueRows({ takenAt, workers, settings, throughput, totals, health }: QueueFacts): QueueRow[] {
  const settingsOf = new Map(settings.map((each) => [each.queue, each]));
  const points = new Map(throughput.queues.map((each) => [each.queue, each.points]));
  const ageOf = new Map(health.backlog.map(({ queue, age }) => [queue, age]));
  const names = new Set([
    ...totals.keys(),
    ...settingsOf.keys(),
    ...points.keys(),
    ...workers.flatMap(({ queues }) => queues),
  ]);
  return [...names].sort().map((queue) => {
    const own = settingsOf.get(queue);
    return {
      queue,
      counts: totals.get(queue) ?? noJobs(takenAt),
      oldestReady: ageOf.get(queue) ?? null,
      ...recentThroughput(points.get(queue) ?? [], throughput),
      pausedAt: own?.pausedAt?.getTime() ?? null,
      ...workersOf(workers, queue),
      limits: own ? toLimits(own) : NO_LIMITS,
      problems: health.problems.filter(({ queues }) => queues.includes(queue)).map(({ kind }) => kind),
    };
  });
}

function noJobs(countedAt: number): Totals {
  const none = { count: 0, isCapped: false, isEstimate: false, countedAt, perMinute: null };
  const live = { waiting: none, scheduled: none, ready: none, running: none };
  return { ...live, succeeded: none, failed: none, cancelled: none, expired: none };
}

/** Counts the workers that claim jobs of a queue, and lists its weights there. */
function workersOf(workers: QueueFacts['workers'], queue: string): Pick<QueueRow, 'workers' | 'weights'> {
  const own = workers.filter(({ queues, state }) => state === 'working' && queues.includes(queue));
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

import type { MemberOutcome, MemberPage, Overview, QueueLimits, QueueRow, Series, WorkerRow } from '../src/contract.js';
import { STATES } from '../src/format/labels.js';
import { MINUTE, type Shop } from './shop.js';

const count = (number: number) => ({ count: number, isCapped: false });
const total = (number: number) => ({ ...count(number), isEstimate: false, countedAt: Date.now(), perMinute: null });
const PROBLEMS = (pausedAt: number | null): Overview['problems'] => [
  {
    kind: 'failing-attempts',
    severity: 'warning',
    text: '23% of the attempts of "payments" have failed within the hour.',
    since: Date.now() - 12 * MINUTE,
    count: 1,
    examples: ['payments'],
    harm: 'Jobs run late or fail for good.',
    action: 'Look at the errors. If a system that the handlers call is down, pause the queue until it is back.',
  },
  {
    kind: 'paused-queues',
    severity: 'notice',
    text: 'Jobs wait in 1 paused queue: reports.',
    since: pausedAt,
    count: 1,
    examples: ['reports'],
    harm: 'Their jobs do not run.',
    action: 'Resume the queues when the reason for the pause is gone.',
  },
];
const NO_COUNTS = Object.fromEntries(STATES.map((state) => [state, total(0)])) as QueueRow['counts'];
const NO_LIMITS: QueueLimits = {
  concurrency: null,
  rate: null,
  perTenant: null,
  ratePerTenant: null,
  maxLength: null,
};

const countsOf = (shop: Shop, queue?: string) =>
  Object.fromEntries(
    STATES.map((state) => [state, total(shop.find({ state, ...(queue && { queue }) }).length)]),
  ) as QueueRow['counts'];

export function overviewOf(shop: Shop, queues: readonly QueueRow[]): Overview {
  return {
    takenAt: Date.now(),
    queueCount: queues.length,
    throughput: queues.reduce((sum, { throughput }) => sum + throughput, 0),
    workers: queues.length === 0 ? 0 : 3,
    totals: countsOf(shop),
    failedLastDay: count(shop.find({ state: 'failed' }).length),
    status: queues.length === 0 ? 'ok' : 'warning',
    problems: queues.length === 0 ? [] : PROBLEMS(shop.paused.get('reports') ?? null),
  };
}

/** The rows of the queues of the shop. */
export function queuesOf(shop: Shop): QueueRow[] {
  return [...new Set(shop.rows.map((row) => row.queue))].sort().map((queue, index) => ({
    queue,
    counts: countsOf(shop, queue),
    oldestReady: 800 + index * 5200,
    throughput: shop.paused.has(queue) ? 0 : 14.2 / (index + 1),
    failureRate: queue === 'payments' ? 0.23 : 0.004 * index,
    latency: 18 + index * 40,
    pausedAt: shop.paused.get(queue) ?? null,
    workers: 3 - (index % 2),
    weights: queue === 'payments' ? [1, 3] : [1],
    limits: shop.limits.get(queue) ?? NO_LIMITS,
    problems: queue === 'payments' ? ['failing-attempts'] : queue === 'reports' ? ['paused-queues'] : [],
    spark: Array.from({ length: 60 }, (_minute, at) => Math.round(400 + 300 * Math.sin((at + index * 9) / 7))),
  }));
}

/** More queues than a page lists. The last one by name has the most ready jobs. */
export function queuesOfTenants(): QueueRow[] {
  const names = Array.from({ length: 120 }, (_tenant, index) => `tenant-${index}`);
  return [`imports:${'x'.repeat(40)}:nightly`, ...names].map((queue, index) => ({
    queue,
    counts: { ...NO_COUNTS, ready: total(1_000 + index) },
    oldestReady: null,
    throughput: 0,
    failureRate: null,
    latency: null,
    pausedAt: null,
    workers: 1,
    weights: [1],
    limits: NO_LIMITS,
    problems: [],
    spark: Array<number>(60).fill(0),
  }));
}

export function seriesOf(shop: Shop, span: Series['span'], queue: string | null): Series {
  const [buckets, bucket] = span === 'hour' ? [60, MINUTE] : [96, 15 * MINUTE];
  const takenAt = Date.now();
  const first = Math.floor(takenAt / bucket) * bucket - (buckets - 1) * bucket;
  const scale = (queue ? 1 : 5) * (span === 'hour' ? 1 : 15) * (shop.rows.length > 0 ? 1 : 0);
  const points = Array.from({ length: buckets }, (_bucket, index) => {
    const wave = 1 + 0.4 * Math.sin(index / 6) + 0.12 * Math.sin(index * 2.7);
    const isBad = index > buckets - 14 && index < buckets - 6;
    return {
      at: first + index * bucket,
      succeeded: Math.round(140 * scale * wave),
      retried: Math.round((isBad ? 22 : 3) * scale * wave),
      failed: Math.round((isBad ? 9 : 0.6) * scale * wave),
      latencyMean: scale === 0 ? null : 24 * wave + (isBad ? 90 : 0),
      latencyMax: scale === 0 ? null : 190 * wave + (isBad ? 420 : 0),
      runMean: scale === 0 ? null : 130 + 25 * Math.sin(index / 4),
    };
  });
  return { span, bucket, takenAt, points };
}

const STATE_OF = { none: 'working', quiet: 'quiet', stop: 'stopping' } as const;

/** Of the queues of each worker. */
const WEIGHTS: readonly WorkerRow['weights'][] = [
  { documents: 1, search: 1 },
  { payments: 3, mail: 1 },
  { reports: 1 },
];

export function workersOf(shop: Shop): WorkerRow[] {
  const running = shop.find({ state: 'running' });
  const hosts = running.length === 0 ? [] : ['web-1', 'worker-1', 'worker-2'];
  return hosts.map((host, index) => {
    const own = running.filter((_row, at) => at % hosts.length === index).slice(0, index === 2 ? 0 : 9);
    const weights = WEIGHTS[index] ?? {};
    const id = String(80_001 + index);
    const request = shop.requests.get(id);
    const seenAt = Date.now() - (index === 2 ? 41_000 : 2400 + index * 3000);
    return {
      id,
      host,
      pid: 2041 + index * 17,
      version: '0.1.0',
      codeVersion: index === 0 ? '2026.11.3' : '2026.11.4',
      startedAt: Date.now() - (index + 1) * 5_400_000,
      seenAt,
      leaseEndsAt: seenAt + 30_000,
      queues: Object.keys(weights),
      queueCount: index === 0 ? 42 : Object.keys(weights).length,
      weights,
      state: STATE_OF[request?.action ?? 'none'],
      request: request ?? null,
      memory: { rss: 184_000_000 + index * 21_000_000, heapUsed: 61_000_000 + index * 9_000_000 },
      eventLoopDelay: { p99: 4 + index, max: index === 1 ? 2_340 : 31 },
      lastBlock: index === 1 ? { reportedAt: Date.now() - 2 * MINUTE, duration: 2_340 } : null,
      running: own,
      runningCount: own.length,
    };
  });
}

/** Pages of the 43 members that have succeeded, and of the others. */
export function membersOf(shop: Shop, outcome: MemberOutcome, start: number): MemberPage {
  const state = outcome === 'pending' ? 'running' : outcome;
  const found = shop.find({ state }).slice(0, { succeeded: 43, pending: 4, failed: 1 }[outcome as string] ?? 0);
  const members = found.slice(start, start + 30).map(({ id, name, state: now }) => ({ id, name, state: now }));
  return { members, next: start + 30 < found.length ? String(start + 30) : null };
}

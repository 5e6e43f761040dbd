import type { BlockedKeys, DatabaseStats, UnhandledSubscriptions } from '@tablequeue/typeorm/internal';

import type { Attention, QueueRow } from '../contract/index.js';
import { countAttempts } from './recent-throughput.js';
import type { QueueFacts } from './queue-rows.js';

/** The age at which a ready job is late, in ms. */
const LATE = 5 * 60_000;
/** How long a tick may be due before it counts as missed, in ms. A worker fires it within 30 s. */
const MISSED = 2 * 60_000;
/** How long after the end of its lease a worker is reported as missing, in ms. A reaper removes it earlier. */
const MISSING = 60_000;

/** The failure rate that is reported, 0 to 1. */
const FAILING = 0.25;
/** The attempts within an hour that a failure rate needs to be significant. */
const FEWEST_ATTEMPTS = 10;

const WORST_FIRST = ['critical', 'warning', 'notice'];

/** The data that problems are found in. */
export interface AttentionFacts extends QueueFacts {
  readonly blocked: BlockedKeys;
  readonly unhandled: UnhandledSubscriptions;
}

/** Finds the problems that need attention, worst first. */
export function findAttention(
  { stats, throughput, blocked, unhandled }: AttentionFacts,
  queues: readonly QueueRow[],
): Attention[] {
  const attempts = new Map(throughput.queues.map(({ queue, points }) => [queue, countAttempts(points)]));
  const found = [
    ...queues.flatMap((row) => queueProblems(row, attempts.get(row.queue) ?? 0, stats.takenAt)),
    ...missingWorkers(stats),
    ...missedSchedules(stats),
    ...blockedKeys(blocked),
    ...unhandledSubscriptions(unhandled),
  ];
  return found.toSorted((a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity));
}

function queueProblems(
  { queue, counts, oldestReady, pausedAt, workers, failureRate }: QueueRow,
  attempts: number,
  takenAt: number,
): Attention[] {
  if (pausedAt !== null) {
    const text = counts.ready.count > 0 ? `${queue} is paused, and jobs wait in it` : `${queue} is paused`;
    return [{ severity: 'notice', kind: 'paused', queue, text, since: pausedAt }];
  }
  const since = oldestReady === null ? null : takenAt - oldestReady;
  if (counts.ready.count > 0 && workers === 0) {
    const text = `No worker works on ${queue}, and jobs wait in it`;
    return [{ severity: 'critical', kind: 'no-workers', queue, text, since }];
  }
  const found: Attention[] = [];
  if (oldestReady !== null && oldestReady >= LATE) {
    const text = `The oldest job of ${queue} has been due for ${Math.floor(oldestReady / 60_000)} minutes`;
    found.push({ severity: 'warning', kind: 'late', queue, text, since });
  }
  // After `late`: failures may be its cause.
  if (failureRate !== null && failureRate >= FAILING && attempts >= FEWEST_ATTEMPTS) {
    const text = `${Math.round(failureRate * 100)}% of the attempts of ${queue} have failed within the hour`;
    found.push({ severity: 'warning', kind: 'failing', queue, text, since: null });
  }
  return found;
}

function missingWorkers({ workers, takenAt }: DatabaseStats): Attention[] {
  const missing = workers.filter(({ leaseLeft }) => leaseLeft <= -MISSING);
  const [first] = missing.toSorted((one, other) => one.leaseLeft - other.leaseLeft);
  if (!first) {
    return [];
  }
  const text =
    missing.length === 1
      ? `The worker ${first.pid} on ${first.host} is missing, and no reaper has returned its jobs`
      : `${missing.length} workers are missing, and no reaper has returned their jobs`;
  return [{ severity: 'warning', kind: 'workers-missing', queue: null, text, since: takenAt + first.leaseLeft }];
}

function blockedKeys({ count, first: [oldest] }: BlockedKeys): Attention[] {
  if (!oldest) {
    return [];
  }
  const { name, key, blockedAt } = oldest;
  const text =
    count === 1
      ? `The order key ${key} of ${name} is blocked by a failed job`
      : `${count} order keys are blocked by failed jobs: ${key} of ${name}, …`;
  return [{ severity: 'warning', kind: 'blocked-keys', queue: null, text, since: blockedAt }];
}

function unhandledSubscriptions({ count, first: [longest] }: UnhandledSubscriptions): Attention[] {
  if (!longest) {
    return [];
  }
  const { event, name, since } = longest;
  const text =
    count === 1
      ? `No worker has the handler of ${name}, a subscription of ${event}`
      : `No worker has the handlers of ${count} subscriptions: ${name} of ${event}, …`;
  return [{ severity: 'warning', kind: 'unhandled-subscriptions', queue: null, text, since }];
}

function missedSchedules({ schedules, takenAt }: DatabaseStats): Attention[] {
  return schedules.flatMap(({ name, queue, nextFireAt }) => {
    const isMissed = nextFireAt !== null && takenAt - nextFireAt >= MISSED;
    const text = `The schedule ${name} has not fired when it was due: no worker runs the scheduler`;
    return isMissed
      ? [{ severity: 'critical' as const, kind: 'schedule-missed' as const, queue, text, since: nextFireAt }]
      : [];
  });
}

import type { DatabaseStats } from '@tablequeue/typeorm/internal';

import type { Attention, QueueRow } from '../contract/index.js';
import { attemptsOf } from './ended.js';
import type { QueueFacts } from './queue-rows.js';

/** From which age on ready jobs are late, in ms. */
const LATE = 5 * 60_000;
/** How long a tick may be due before it counts as missed, in ms: a worker fires it within 30 s. */
const MISSED = 2 * 60_000;
/** How long a lease may have ended before it is a sign that nobody reaps, in ms. */
const SILENT = 60_000;

/** Which part of the attempts may fail, 0 to 1. */
const FAILING = 0.25;
/** How many attempts there have to be within an hour for that part to mean anything. */
const FEWEST = 10;

const WORST_FIRST = ['critical', 'warning', 'notice'];

/** What somebody has to look at, the worst first. */
export function attentionOf({ stats, throughput }: QueueFacts, queues: readonly QueueRow[]): Attention[] {
  const attempts = new Map(throughput.queues.map(({ queue, points }) => [queue, attemptsOf(points)]));
  const found = [
    ...queues.flatMap((row) => ofQueue(row, attempts.get(row.queue) ?? 0, stats.takenAt)),
    ...silentWorkers(stats),
    ...missedSchedules(stats),
  ];
  return found.toSorted((a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity));
}

function ofQueue(
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
  // That may be why they are late.
  if (failureRate !== null && failureRate >= FAILING && attempts >= FEWEST) {
    const text = `${Math.round(failureRate * 100)}% of the attempts of ${queue} have failed within the hour`;
    found.push({ severity: 'warning', kind: 'failing', queue, text, since: null });
  }
  return found;
}

function silentWorkers({ workers, takenAt }: DatabaseStats): Attention[] {
  const silent = workers.filter(({ leaseLeft }) => leaseLeft <= -SILENT);
  const [first] = silent.toSorted((one, other) => one.leaseLeft - other.leaseLeft);
  if (!first) {
    return [];
  }
  const text =
    silent.length === 1
      ? `The worker ${first.pid} on ${first.host} has not been heard of, and nobody has freed its jobs`
      : `${silent.length} workers have not been heard of, and nobody has freed their jobs`;
  return [{ severity: 'warning', kind: 'workers-silent', queue: null, text, since: takenAt + first.leaseLeft }];
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

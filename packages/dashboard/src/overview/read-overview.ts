import type { TableQueue } from '@tablequeue/typeorm';
import { LIVE_STATES, countBlockedKeys, countUnhandled, executeRead, readStats } from '@tablequeue/typeorm/internal';

import type { Count, LiveState, Overview } from '../contract/index.js';
import { findAttention } from './attention.js';
import { queueRows } from './queue-rows.js';

/** The limit of each count, by queue and state. Doubling it costs 30 ms with a dozen long queues. */
const MOST_COUNTED = 5_000;
const DAY = 24 * 3_600_000;

/** Reads the overview of a database. The cost does not grow with the number of jobs. */
export async function readOverview(queue: TableQueue): Promise<Overview> {
  // In parallel: counting takes the server tens of ms on one core.
  const [stats, settings, throughput, blocked, unhandled] = await Promise.all([
    readStats(queue.engine, { failedWithin: DAY, limit: MOST_COUNTED }),
    queue.control.list(),
    queue.activity.throughput('hour'),
    executeRead(queue.engine, 'count blocked order keys', countBlockedKeys),
    executeRead(queue.engine, 'count unhandled subscriptions', countUnhandled),
  ]);
  const facts = { stats, settings, throughput, blocked, unhandled };
  const queues = queueRows(facts);
  return {
    takenAt: stats.takenAt,
    queues,
    workers: stats.workers.filter(({ leaseLeft }) => leaseLeft > 0).length,
    attention: findAttention(facts, queues),
    failedLastDay: stats.failed,
    totals: Object.fromEntries(
      LIVE_STATES.map((state) => [state, sum(queues.map(({ counts }) => counts[state]))]),
    ) as Record<LiveState, Count>,
  };
}

function sum(counts: readonly Count[]): Count {
  return {
    count: counts.reduce((total, { count }) => total + count, 0),
    isCapped: counts.some(({ isCapped }) => isCapped),
  };
}

import { subscriptionJobName } from '../../definition/event-queue.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { LIVE_STATES, type LiveState } from '../../tables/job.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import type { SubscriptionRow } from './find-subscriptions.js';

/** How many jobs of each state of a queue are read. */
const MOST_READ = 1_000;

/** The jobs of a subscription that have not ended. */
export interface UnfinishedJobs {
  readonly count: number;
  /** Whether its queue has more jobs than were read: then `count` is a minimum. */
  readonly isCapped: boolean;
  /** When the oldest of them was stored, in ms; null without one. */
  readonly oldestAt: number | null;
}

interface Row {
  readonly number: number | string;
  readonly name: string;
  readonly jobs: number | string;
  readonly oldest: number | string;
}

/**
 * Counts the jobs of subscriptions that have not ended, in the order given.
 *
 * Index: the lanes of their queues, then the rows of the first jobs of each state, because names are in no index. So it
 * reads at most 4,000 rows for each queue, however many jobs or subscriptions it has. Locks nothing.
 */
export function* findUnfinished(
  dialect: Dialect,
  subscriptions: readonly Pick<SubscriptionRow, 'event' | 'name' | 'queue'>[],
): Operation<UnfinishedJobs[]> {
  const queues = [...new Set(subscriptions.map(({ queue }) => queue))];
  const parts = queues.flatMap((queue) => LIVE_STATES.map((state) => ({ queue, state })));
  const found = new Map<string, { count: number; oldestAt: number }>();
  const capped = new Set<string>();
  for (const chunk of chunksOf(parts, mostUnited(dialect))) {
    const read = new Map<number, number>();
    for (const row of yield* select<Row>(sql.join(chunk.map(countByName(dialect)), sql` UNION ALL `))) {
      const number = Number(row.number);
      const { queue } = chunk[number] as (typeof chunk)[number];
      const key = `${queue} ${row.name}`;
      const { count, oldestAt } = found.get(key) ?? { count: 0, oldestAt: Infinity };
      found.set(key, { count: count + Number(row.jobs), oldestAt: Math.min(oldestAt, Number(row.oldest)) });
      read.set(number, (read.get(number) ?? 0) + Number(row.jobs));
      if (read.get(number) === MOST_READ) {
        capped.add(queue);
      }
    }
  }
  return subscriptions.map(({ event, name, queue }) => {
    const { count, oldestAt } = found.get(`${queue} ${subscriptionJobName(event, name)}`) ?? {
      count: 0,
      oldestAt: null,
    };
    return { count, isCapped: capped.has(queue), oldestAt };
  });
}

const countByName =
  ({ tables, byLane }: Dialect) =>
  ({ queue, state }: { readonly queue: string; readonly state: LiveState }, index: number) => {
    const number = sql.integer(index);
    return sql`SELECT ${number} AS number, name, COUNT(*) AS jobs, MIN(created_at) AS oldest FROM (
                 SELECT name, created_at FROM ${tables.job} ${byLane}
                 WHERE queue = ${queue} AND state = ${state} LIMIT ${sql.integer(MOST_READ)}
               ) jobs_${number} GROUP BY name`;
  };

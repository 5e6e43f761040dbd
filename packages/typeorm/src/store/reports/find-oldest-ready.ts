import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import type { LaneOfJobs } from '../base/order/find-lanes.js';
import { headOfPriority, priorityAt, runAtOf } from '../base/order/sort-key.js';
import { readClock } from '../base/read-clock.js';

/** The oldest ready job of a queue. */
export interface OldestReady {
  readonly queue: string;
  /** The time since it became due, in ms. */
  readonly age: number;
}

/** A ready lane, and the position to read from. */
interface Head extends Pick<LaneOfJobs, 'queue' | 'lane' | 'latest'> {
  readonly position: number;
}

/**
 * Finds the age of the oldest ready job of each queue. It is not always the head of its lane, which is the oldest job
 * of the first priority.
 *
 * Index: the lanes with several priorities, from the head of one priority to the next. So it reads one entry for each
 * lane and priority, however many jobs they have, with a statement for each 400 lanes. Locks nothing.
 *
 * @param lanes all of them.
 */
export function* findOldestReady(dialect: Dialect, lanes: readonly LaneOfJobs[]): Operation<OldestReady[]> {
  const oldest = new Map<string, number>();
  let heads: Head[] = lanes
    .filter(({ state }) => state === 'ready')
    .map(({ queue, lane, earliest, latest }) => ({ queue, lane, latest, position: earliest }));
  if (heads.length === 0) {
    return [];
  }
  while (heads.length > 0) {
    for (const { queue, position } of heads) {
      oldest.set(queue, Math.min(oldest.get(queue) ?? Infinity, runAtOf(position)));
    }
    const withNext = heads.filter(({ position, latest }) => priorityAt(latest) > priorityAt(position));
    heads = yield* headsOfNextPriority(dialect, withNext);
  }
  const now = yield* readClock(dialect);
  return [...oldest].map(([queue, runAt]) => ({ queue, age: Math.max(0, now - runAt) }));
}

function* headsOfNextPriority(dialect: Dialect, lanes: readonly Head[]): Operation<Head[]> {
  const { tables, byLane } = dialect;
  const heads: Head[] = [];
  for (const chunk of chunksOf(lanes, mostUnited(dialect))) {
    const selects = chunk.map(({ queue, lane, position }, index) => {
      const number = sql.integer(index);
      const { position: next } = headOfPriority(priorityAt(position) + 1);
      return sql`SELECT * FROM (
                   SELECT ${number} AS number, position FROM ${tables.job} ${byLane}
                   WHERE queue = ${queue} AND state = 'ready' AND lane = ${lane} AND position >= ${next}
                   ORDER BY position LIMIT 1
                 ) lane_${number}`;
    });
    const rows = yield* select<{ number: number | string; position: number | string }>(
      sql.join(selects, sql` UNION ALL `),
    );
    heads.push(
      ...rows.map(({ number, position }) => ({ ...(chunk[Number(number)] as Head), position: Number(position) })),
    );
  }
  return heads;
}

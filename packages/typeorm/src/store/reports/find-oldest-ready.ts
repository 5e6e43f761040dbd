import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import { headOfPriority, priorityAt, runAtOf } from '../base/order/sort-key.js';
import { readClock } from '../base/read-clock.js';

/** The oldest ready job of a queue. */
export interface OldestReady {
  readonly queue: string;
  /** The time since it became due, in ms. */
  readonly age: number;
}

/** A ready lane, and the position to read from. */
interface Lane {
  readonly queue: string;
  readonly lane: number;
  readonly position: number;
}

/**
 * Finds the age of the oldest ready job of each queue. It is not always the head of its lane, which is the oldest job
 * of the first priority.
 *
 * Index: the lanes, from the head of one priority to the next. So it reads one entry for each lane and priority,
 * however many jobs they have, with a statement for each 400 lanes. Locks nothing.
 */
export function* findOldestReady(dialect: Dialect): Operation<OldestReady[]> {
  const oldest = new Map<string, number>();
  let heads = yield* headsOfLanes(dialect);
  if (heads.length === 0) {
    return [];
  }
  while (heads.length > 0) {
    for (const { queue, position } of heads) {
      oldest.set(queue, Math.min(oldest.get(queue) ?? Infinity, runAtOf(position)));
    }
    heads = yield* headsOfNextPriority(dialect, heads);
  }
  const now = yield* readClock(dialect);
  return [...oldest].map(([queue, runAt]) => ({ queue, age: Math.max(0, now - runAt) }));
}

function* headsOfLanes({ lanes }: Dialect): Operation<Lane[]> {
  const rows = yield* select<{ queue: string; lane: number | string; earliest: number | string }>(
    sql`SELECT lanes.queue, lanes.lane, lanes.earliest FROM (${lanes}) lanes
        WHERE lanes.state = 'ready' ORDER BY lanes.queue`,
  );
  return rows.map(({ queue, lane, earliest }) => ({ queue, lane: Number(lane), position: Number(earliest) }));
}

function* headsOfNextPriority(dialect: Dialect, lanes: readonly Lane[]): Operation<Lane[]> {
  const { tables, byLane } = dialect;
  const heads: Lane[] = [];
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
      ...rows.map(({ number, position }) => ({ ...(chunk[Number(number)] as Lane), position: Number(position) })),
    );
  }
  return heads;
}

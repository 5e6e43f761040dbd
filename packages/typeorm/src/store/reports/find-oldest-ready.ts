import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { MOST_UNITED, chunksOf } from '../base/chunks.js';
import { headOfPriority, priorityAt, runAtOf } from '../base/sort-key.js';
import { readClock } from '../base/read-clock.js';

/** The oldest ready job of a queue. */
export interface OldestReady {
  readonly queue: string;
  /** For how long it has been due, in ms. */
  readonly age: number;
}

/** A ready lane, and where to look in it next. */
interface Lane {
  readonly queue: string;
  readonly owner: number;
  readonly position: number;
}

/**
 * How long the oldest ready job of each queue has been due. It need not stand at the head of its lane: there stands the
 * oldest of the first priority.
 *
 * Index: the lanes, from each one's head to that of its next priority. So it takes one entry for each lane and priority
 * that has jobs, however many those are, and a statement for each 400. Locks nothing.
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
  const rows = yield* select<{ queue: string; owner: number | string; earliest: number | string }>(
    `SELECT lanes.queue, lanes.owner, lanes.earliest FROM (${lanes}) lanes WHERE lanes.state = 'ready' ORDER BY lanes.queue`,
  );
  return rows.map(({ queue, owner, earliest }) => ({ queue, owner: Number(owner), position: Number(earliest) }));
}

function* headsOfNextPriority({ tables, byLane }: Dialect, lanes: readonly Lane[]): Operation<Lane[]> {
  const heads: Lane[] = [];
  for (const part of chunksOf(lanes, MOST_UNITED)) {
    const rows = yield* select<{ lane: number | string; position: number | string }>(
      part
        .map(
          (_lane, index) =>
            `SELECT * FROM (
               SELECT ${index} AS lane, position FROM ${tables.job} ${byLane}
               WHERE queue = ? AND state = 'ready' AND owner = ? AND position >= ?
               ORDER BY position LIMIT 1
             ) lane_${index}`,
        )
        .join(' UNION ALL '),
      part.flatMap(({ queue, owner, position }) => [queue, owner, headOfPriority(priorityAt(position) + 1).position]),
    );
    heads.push(...rows.map((row) => ({ ...(part[Number(row.lane)] as Lane), position: Number(row.position) })));
  }
  return heads;
}

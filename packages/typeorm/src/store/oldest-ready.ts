import type { Dialect } from '../engine/dialect.js';
import { type Operation, select } from '../engine/operation.js';
import { inParts } from './in-parts.js';
import { headOfPriority, timingOf } from './place.js';

/** SQLite allows 500 parts in a UNION. */
const MOST_PARTS = 400;

/** A lane of ready jobs, and where in it to look. */
interface ReadyLane {
  readonly queue: string;
  readonly owner: number;
  readonly position: number;
}

/**
 * When the oldest ready job of each queue became due, in ms; queues without any are left out.
 *
 * Index: the lanes. A lane is in the order of priority and then of time, so its oldest job is at the head of one of its
 * priorities: from head to head, all lanes in one statement. So it costs a look for each priority that a lane has jobs
 * of, however long it is. Locks nothing.
 */
export function* oldestReady(dialect: Dialect): Operation<Map<string, number>> {
  const oldest = new Map<string, number>();
  const lanes = yield* select<{ queue: string; owner: number | string; earliest: number | string }>(
    `SELECT lanes.queue, lanes.owner, lanes.earliest FROM (${dialect.lanes}) lanes WHERE lanes.state = 'ready'`,
  );
  let heads: ReadyLane[] = lanes.map(({ queue, owner, earliest }) => {
    return { queue, owner: Number(owner), position: Number(earliest) };
  });
  while (heads.length > 0) {
    for (const { queue, position } of heads) {
      const { runAt } = timingOf(position);
      oldest.set(queue, Math.min(runAt, oldest.get(queue) ?? Infinity));
    }
    heads = yield* nextPriorities(dialect, heads);
  }
  return oldest;
}

function* nextPriorities({ tables, byLane }: Dialect, lanes: readonly ReadyLane[]): Operation<ReadyLane[]> {
  const next: ReadyLane[] = [];
  for (const part of inParts(lanes, MOST_PARTS)) {
    const rows = yield* select<{ lane: number | string; earliest: number | string | null }>(
      part
        .map((_lane, index) => {
          return `SELECT ${index} AS lane, MIN(position) AS earliest FROM ${tables.job} ${byLane}
                  WHERE queue = ? AND state = 'ready' AND owner = ? AND position >= ?`;
        })
        .join(' UNION ALL '),
      part.flatMap(({ queue, owner, position }) => {
        return [queue, owner, headOfPriority(timingOf(position).priority + 1).position];
      }),
    );
    for (const { lane, earliest } of rows) {
      if (earliest !== null) {
        next.push({ ...(part[Number(lane)] as ReadyLane), position: Number(earliest) });
      }
    }
  }
  return next;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { LiveState, Outcome } from '../../tables/job.js';
import { sortKeyCondition } from '../base/order/sort-key-condition.js';
import type { SortKey } from '../base/order/sort-key.js';

/** The last job that was counted. */
export interface CountCursor extends SortKey {
  readonly lane: number;
}

/** A part of the jobs of a queue and state. */
export interface CountedChunk {
  readonly jobs: number;
  /** Where the next chunk begins; undefined after the last one. */
  readonly next: CountCursor | undefined;
}

/**
 * Counts the next jobs of a queue and state, in all their lanes.
 *
 * Index: the lanes, at most twice `most` entries; no row is read. Jobs that move meanwhile are counted once, twice or
 * not at all. Locks nothing. See docs/decisions/0138.
 */
export function* countChunk(
  dialect: Dialect,
  { queue, state }: { readonly queue: string; readonly state: LiveState | Outcome },
  after: CountCursor | undefined,
  most: number,
): Operation<CountedChunk> {
  const { tables, byLane } = dialect;
  // One range each: MySQL makes none of a comparison of rows.
  const ranges: Fragment[] = after
    ? [sql`AND lane = ${after.lane} AND ${sortKeyCondition(dialect, '>', after)}`, sql`AND lane > ${after.lane}`]
    : [sql.empty];
  let jobs = 0;
  for (const range of ranges) {
    const counted = sql`FROM ${tables.job} ${byLane} WHERE queue = ${queue} AND state = ${state} ${range}`;
    const order = sql`ORDER BY lane, position, id`;
    const [last] = yield* select<{ lane: number | string; position: number | string; id: Buffer }>(
      sql`SELECT lane, position, id ${counted} ${order} LIMIT 1 OFFSET ${sql.integer(most - 1)}`,
    );
    if (last) {
      return { jobs: jobs + most, next: { lane: Number(last.lane), position: Number(last.position), id: last.id } };
    }
    const [rest] = yield* select<{ jobs: number | string }>(
      sql`SELECT COUNT(*) AS jobs FROM (SELECT 1 ${counted} ${order} LIMIT ${sql.integer(most)}) rest`,
    );
    jobs += Number(rest?.jobs ?? 0);
  }
  return { jobs, next: undefined };
}

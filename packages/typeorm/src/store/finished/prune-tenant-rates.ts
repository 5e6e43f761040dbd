import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { nowInMicroseconds } from '../base/rate.js';

/** The lane of a tenant's rate. */
export interface RateLane {
  readonly queue: string;
  readonly lane: number;
}

/** Before all lanes. */
export const FIRST_RATE_LANE: RateLane = { queue: '', lane: 0 };

/**
 * Deletes tenants that have all tokens of their rate: one batch. It only saves space, because a tenant without a row
 * has all its tokens. Does nothing the second time.
 *
 * Index: the primary key, which it reads from a lane on without locks. Locks: the deleted rows, in the order of the
 * primary key, as claims lock theirs, so there are no deadlocks.
 *
 * @returns the lane to go on after; undefined if there are no more.
 */
export function* pruneTenantRates(dialect: Dialect, after: RateLane): Operation<RateLane | undefined> {
  const { tenantRate } = dialect.tables;
  const isFull = sql`full_at <= ${nowInMicroseconds(dialect)}`;
  const found = yield* select<{ queue: string; lane: number | string }>(
    sql`SELECT queue, lane FROM ${tenantRate} ${dialect.byPrimaryKey}
        WHERE (queue > ${after.queue} OR (queue = ${after.queue} AND lane > ${after.lane})) AND ${isFull}
        ORDER BY queue, lane, tenant LIMIT ${sql.integer(MOST_IDS)}`,
  );
  for (const queue of new Set(found.map((row) => row.queue))) {
    const lanes = [...new Set(found.filter((row) => row.queue === queue).map(({ lane }) => Number(lane)))];
    yield* change(
      sql`${dialect.deleteFrom(tenantRate)} WHERE queue = ${queue} AND lane IN (${sql.list(lanes)}) AND ${isFull}`,
    );
  }
  const last = found.length === MOST_IDS ? found.at(-1) : undefined;
  return last && { queue: last.queue, lane: Number(last.lane) };
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { hasExpired } from '../base/jobs/has-expired.js';
import { firstReady } from '../base/order/lane.js';
import type { SortKey } from '../base/order/sort-key.js';
import { type TenantLane, readLaneHeads } from './tenant-lanes.js';

/**
 * The expired jobs among the first ready ones of a queue, without a tenant. A claim that meets one reads the others, so
 * that the claimer ends them together, however few jobs it claims. Index: the lane, from a sort key on, then the jobs'
 * rows. Locks nothing.
 */
export function* findExpiredReady(dialect: Dialect, queue: string, from: SortKey): Operation<Buffer[]> {
  const rows = yield* select<{ id: Buffer; expired: number | string | null }>(
    firstReady(dialect, queue, from, MOST_IDS, sql`id, ${hasExpired(dialect)} AS expired`),
  );
  return rows.filter(({ expired }) => Number(expired) === 1).map(({ id }) => id);
}

/**
 * The same for lanes of tenants, at most `MOST_IDS` in all: the first expired job of a tenant at its limit would hide
 * the others. Index: the lanes, then the primary key.
 */
export function* findExpiredInLanes(
  dialect: Dialect,
  queue: string,
  lanes: readonly TenantLane[],
): Operation<Buffer[]> {
  const some = lanes.slice(0, MOST_IDS);
  const limit = Math.floor(MOST_IDS / some.length);
  const heads = yield* readLaneHeads(
    dialect,
    queue,
    some.map((lane) => ({ ...lane, limit })),
  );
  if (heads.length === 0) {
    return [];
  }
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
        WHERE id IN (${sql.list(heads.map(({ id }) => id))}) AND state = 'ready' AND ${hasExpired(dialect)}`,
  );
  return rows.map(({ id }) => id);
}

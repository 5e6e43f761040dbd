import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import { sortKeyCondition } from '../base/order/sort-key-condition.js';
import { type SortKey, compareSortKeys, headOf } from '../base/order/sort-key.js';
import { LAST_LANE } from '../base/order/tenant-lane.js';
import type { Holder } from '../base/keys/unique-keys.js';

/** The lane of a tenant's ready jobs, and a sort key at or before all of them. */
export interface TenantLane {
  readonly lane: number;
  readonly from: SortKey;
}

/** Lanes of tenants in the order of the round robin: after the highest number comes the lowest. */
export interface TenantLanes {
  readonly lanes: readonly TenantLane[];
  /** Whether these are all lanes with ready jobs. */
  readonly areAll: boolean;
}

/** How many numbers after `from` a lane comes in the round robin; `from` is last. */
export function distanceTo(lane: number, from: number): number {
  return lane > from ? lane - from : lane - from + LAST_LANE + 1;
}

/**
 * Finds the lanes of tenants in which jobs of a queue are ready: the first ones after a lane in the round robin.
 *
 * Index: jumps from lane to lane. Reads only, locks nothing. It reads past the entries that jobs have left and that are
 * not purged yet, so it runs only as often as its cost allows. It returns where each lane starts, so that claims can
 * skip those entries. See docs/decisions/0037.
 */
export function* findTenantLanes(
  dialect: Dialect,
  queue: string,
  after: number,
  limit: number,
): Operation<TenantLanes> {
  const read = function* (above: number, upTo: number, count: number): Operation<TenantLane[]> {
    const rows = yield* select<{ lane: number | string; earliest: number | string }>(
      dialect.readyLanes(queue, above, upTo, count),
    );
    return rows.map(({ lane, earliest }) => ({ lane: Number(lane), from: headOf(Number(earliest)) }));
  };
  const higher = yield* read(after, LAST_LANE, limit);
  const wanted = limit - higher.length;
  const lower = wanted === 0 ? [] : yield* read(0, after, wanted);
  return { lanes: [...higher, ...lower], areAll: lower.length < wanted };
}

/** How much to read of a lane. */
export interface LanePage extends TenantLane {
  /** How many jobs at most. */
  readonly limit: number;
}

/** A ready job of a tenant that was read without a lock. */
export interface TenantJob extends Holder {
  readonly lane: number;
  readonly sortKey: SortKey;
  readonly tenant: string | null;
}

interface HeadRow {
  readonly lane: number | string;
  readonly id: Buffer;
  readonly position: number | string;
  readonly tenant: string | null;
  readonly name: string;
  readonly unique_key: string | null;
}

/**
 * The first ready jobs of some lanes, in the order of their sort keys: one statement for up to 400 lanes.
 *
 * Index: each lane from its sort key on, and the jobs' rows. Locks nothing: a locking read would read past the end of
 * each lane (see `pollQueues`).
 */
export function* readLaneHeads(dialect: Dialect, queue: string, pages: readonly LanePage[]): Operation<TenantJob[]> {
  const rows: HeadRow[] = [];
  for (const chunk of chunksOf(pages, mostUnited(dialect))) {
    const heads = chunk.map(
      ({ lane, from, limit }, index) =>
        sql`SELECT * FROM (
              SELECT lane, id, position, tenant, name, unique_key FROM ${dialect.tables.job} ${dialect.byLane}
              WHERE queue = ${queue} AND state = 'ready' AND lane = ${lane} AND ${sortKeyCondition(dialect, '>=', from)}
              ORDER BY position, id LIMIT ${sql.integer(limit)}
            ) head_${sql.integer(index)}`,
    );
    rows.push(...(yield* select<HeadRow>(sql.join(heads, sql` UNION ALL `))));
  }
  return rows
    .map(({ lane, id, position, tenant, name, unique_key: uniqueKey }) => ({
      id,
      name,
      uniqueKey,
      lane: Number(lane),
      sortKey: { position: Number(position), id },
      tenant,
    }))
    .sort((a, b) => compareSortKeys(a.sortKey, b.sortKey));
}

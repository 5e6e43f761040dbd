import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import { sortKeyCondition } from '../base/order/sort-key-condition.js';
import { type SortKey, compareSortKeys, headOf } from '../base/order/sort-key.js';
import { LAST_LANE } from '../base/order/tenant-lane.js';
import type { Holder } from '../base/keys/unique-keys.js';
import { findLimitedLanes } from './tenant-rates.js';

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

/** What a poll has found in the lanes of tenants. */
export interface TenantLanesFound extends TenantLanes {
  /** Further lanes with ready jobs, of tenants at their rate, and in how many ms to claim from them. */
  readonly limited: readonly (TenantLane & { readonly freeIn: number })[];
  /** The last lane that was read. */
  readonly lastLane: number | undefined;
}

/** In how many lanes of tenants at their rate a poll looks for jobs of others, and how many jobs of each it reads. */
const MOST_SHARED_LANES = 5;
const JOBS_OF_SHARED_LANE = 20;

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
 *
 * @param isLimited whether to find out which tenants are at their rate.
 */
export function* findTenantLanes(
  dialect: Dialect,
  queue: string,
  after: number,
  limit: number,
  isLimited: boolean,
): Operation<TenantLanesFound> {
  const read = function* (above: number, upTo: number, count: number): Operation<TenantLane[]> {
    const rows = yield* select<{ lane: number | string; earliest: number | string }>(
      dialect.readyLanes(queue, above, upTo, count),
    );
    return rows.map(({ lane, earliest }) => ({ lane: Number(lane), from: headOf(Number(earliest)) }));
  };
  const higher = yield* read(after, LAST_LANE, limit);
  const wanted = limit - higher.length;
  const lower = wanted === 0 ? [] : yield* read(0, after, wanted);
  const lanes = [...higher, ...lower];
  const limited = isLimited ? yield* findLimited(dialect, queue, lanes) : new Map<number, number>();
  return {
    lanes: lanes.filter(({ lane }) => !limited.has(lane)),
    limited: lanes.flatMap((each) => {
      const freeIn = limited.get(each.lane);
      return freeIn === undefined ? [] : { ...each, freeIn };
    }),
    areAll: lower.length < wanted,
    lastLane: lanes.at(-1)?.lane,
  };
}

/**
 * The lanes whose tenants are at their rate, and in how many ms to claim from them. Two tenants can share a lane, so it
 * looks for jobs of other tenants in a few of them, chosen at random.
 */
function* findLimited(
  dialect: Dialect,
  queue: string,
  lanes: readonly TenantLane[],
): Operation<ReadonlyMap<number, number>> {
  const found = yield* findLimitedLanes(
    dialect,
    queue,
    lanes.map(({ lane }) => lane),
  );
  const limited = new Map(found.lanes);
  const all = lanes.filter(({ lane }) => limited.has(lane));
  const first = Math.floor(Math.random() * all.length);
  const some = [...all.slice(first), ...all.slice(0, first)].slice(0, MOST_SHARED_LANES);
  if (some.length > 0) {
    const pages = some.map((lane) => ({ ...lane, limit: JOBS_OF_SHARED_LANE }));
    for (const { lane, tenant } of yield* readLaneHeads(dialect, queue, pages)) {
      if (tenant !== null && !found.tenants.has(tenant)) {
        limited.delete(lane);
      }
    }
  }
  return limited;
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

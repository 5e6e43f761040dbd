import { crc32 } from 'node:zlib';

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Statement, select } from '../../engine/operation.js';
import { afterSortKey } from '../base/after-sort-key.js';
import { type SortKey, compareSortKeys, headOf } from '../base/sort-key.js';
import type { Holder } from '../base/unique-keys.js';

/*
 * Ready jobs with a tenant stand in a lane of their own for each tenant: there `owner` is the tenant's number. Two tenants
 * with one number share a lane, and with it their turn; what is limited is counted by the tenants themselves.
 */

/** The number of a tenant's lane: never 0, which is the lane of the jobs without one. */
export function laneOf(tenant: string | null): number {
  return tenant === null ? 0 : crc32(tenant) || 1;
}

/** The highest number of a lane. */
const LAST_LANE = 0xffff_ffff;

/** A lane of ready jobs, and a place before which it has none. */
export interface LaneStart {
  readonly lane: number;
  readonly from: SortKey;
}

/** Lanes in a ring: behind the last one comes the first. */
export interface LaneLook {
  readonly lanes: readonly LaneStart[];
  /** Whether these are all there are. */
  readonly isWhole: boolean;
}

/** How far a lane is ahead of another in the ring; that one itself is last. */
export function stepsTo(lane: number, from: number): number {
  return lane > from ? lane - from : lane - from + LAST_LANE + 1;
}

/**
 * The next lanes of tenants in which jobs of a queue are ready: up to a limit, behind a lane and then round to it.
 *
 * Index: a jump from lane to lane. Reads only, locks nothing. It passes over the entries of jobs that are gone, so it is
 * done as often as its cost allows, see `worker/tenant-turns.ts`, and tells where a lane's first job stands, so that
 * claims need not.
 */
export function* lookForLanes(dialect: Dialect, queue: string, after: number, limit: number): Operation<LaneLook> {
  const read = function* (above: number, upTo: number, count: number): Operation<LaneStart[]> {
    const rows = yield* select<{ owner: number | string; earliest: number | string }>(dialect.readyLanes(count), [
      queue,
      above,
      upTo,
    ]);
    return rows.map(({ owner, earliest }) => ({ lane: Number(owner), from: headOf(Number(earliest)) }));
  };
  const ahead = yield* read(after, LAST_LANE, limit);
  const wanted = limit - ahead.length;
  const round = wanted === 0 ? [] : yield* read(0, after, wanted);
  return { lanes: [...ahead, ...round], isWhole: round.length < wanted };
}

/** A part of a lane to be read. */
export interface LanePage extends LaneStart {
  /** How many jobs at most. */
  readonly limit: number;
}

/** A ready job, as far as it matters for its turn. */
export interface WaitingJob extends Holder {
  readonly lane: number;
  readonly place: SortKey;
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
 * The first ready jobs of some lanes, in their order: one statement, up to `MOST_IDS` lanes.
 *
 * Index: each lane from its place on, and the jobs' rows. Locks nothing: a locking read would run on at the end of each
 * lane (see `lookForJobs`).
 */
export function* readHeads(dialect: Dialect, queue: string, parts: readonly LanePage[]): Operation<WaitingJob[]> {
  const heads = parts.map(({ lane, from, limit }, index): Statement => {
    const { sql, parameters } = afterSortKey(dialect, '>=', from);
    return {
      sql: `SELECT * FROM (
         SELECT owner AS lane, id, position, tenant, name, unique_key FROM ${dialect.tables.job} ${dialect.byLane}
         WHERE queue = ? AND state = 'ready' AND owner = ? AND ${sql}
         ORDER BY position, id LIMIT ${Math.trunc(limit)}
       ) head_${index}`,
      parameters: [queue, lane, ...parameters],
    };
  });
  const rows = yield* select<HeadRow>(
    heads.map(({ sql }) => sql).join(' UNION ALL '),
    heads.flatMap(({ parameters }) => parameters),
  );
  return rows
    .map(({ lane, id, position, tenant, name, unique_key: uniqueKey }) => ({
      id,
      name,
      uniqueKey,
      lane: Number(lane),
      place: { position: Number(position), id },
      tenant,
    }))
    .sort((a, b) => compareSortKeys(a.place, b.place));
}

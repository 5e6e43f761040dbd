import { crc32 } from 'node:zlib';

import type { Dialect } from '../engine/dialect.js';
import { type Operation, select } from '../engine/operation.js';
import { type Place, comparePlaces } from './place.js';

/*
 * Ready jobs with a tenant stand in a lane of their own for each tenant: there `owner` is the tenant's number. Two tenants
 * with one number share a lane, and with it their turn; what is limited is counted by the tenants themselves.
 */

/** The number of a tenant's lane: never 0, which is the lane of the jobs without one. */
export function laneOf(tenant: string | null): number {
  return tenant === null ? 0 : crc32(tenant) || 1;
}

/** Before the first lane, and the last one there can be. */
const BEFORE_LANES = -1;
const LAST_LANE = 0xffff_ffff;

/** The ready lanes of a queue that have jobs, in a ring: whoever walks on comes by each once, and by the first one last. */
export class LaneRing {
  private at: number;
  private isWrapped = false;
  private isAtEnd = false;

  /** @param start the lane to begin behind. */
  constructor(
    private readonly queue: string,
    private readonly start: number,
  ) {
    this.at = start;
  }

  /** Whether there is none that has not been come by. */
  get isOver(): boolean {
    return this.isAtEnd;
  }

  /** The next lanes; fewer than asked for only at the end. Index: a jump for each of them. Reads only, locks nothing. */
  *next(dialect: Dialect, count: number): Operation<number[]> {
    const found: number[] = [];
    while (!this.isAtEnd && found.length < count) {
      const wanted = count - found.length;
      const rows = yield* select<{ owner: number | string }>(dialect.readyLanes(wanted), [
        this.queue,
        this.at,
        this.isWrapped ? this.start : LAST_LANE,
      ]);
      const part = rows.map(({ owner }) => Number(owner));
      found.push(...part);
      if (part.length === wanted) {
        this.at = part.at(-1) as number;
      } else {
        this.isAtEnd = this.isWrapped;
        this.isWrapped = true;
        this.at = BEFORE_LANES;
      }
    }
    return found;
  }
}

/** A part of a lane to be read. */
export interface LanePart {
  readonly lane: number;
  readonly from: Place;
  /** How many jobs at most. */
  readonly limit: number;
}

/** A ready job, as far as it matters for its turn. */
export interface WaitingJob {
  readonly id: Buffer;
  readonly lane: number;
  readonly place: Place;
  readonly tenant: string | null;
}

/**
 * The first ready jobs of some lanes, in their order: one statement, up to `MOST_IDS` lanes.
 *
 * Index: each lane from its place on, and the jobs' rows. Locks nothing: a locking read would run on at the end of each
 * lane (see `lookForJobs`).
 */
export function* readHeads(
  { tables, byLane }: Dialect,
  queue: string,
  parts: readonly LanePart[],
): Operation<WaitingJob[]> {
  const heads = parts.map(
    ({ lane, limit }, index) =>
      `SELECT * FROM (
         SELECT ${lane} AS lane, id, position, tenant FROM ${tables.job} ${byLane}
         WHERE queue = ? AND state = 'ready' AND owner = ${lane} AND ((position = ? AND id >= ?) OR position > ?)
         ORDER BY position, id LIMIT ${Math.trunc(limit)}
       ) head_${index}`,
  );
  const rows = yield* select<{ lane: number | string; id: Buffer; position: number | string; tenant: string | null }>(
    heads.join(' UNION ALL '),
    parts.flatMap(({ from }) => [queue, from.position, from.id, from.position]),
  );
  return rows
    .map(({ lane, id, position, tenant }) => ({
      id,
      lane: Number(lane),
      place: { position: Number(position), id },
      tenant,
    }))
    .sort((a, b) => comparePlaces(a.place, b.place));
}

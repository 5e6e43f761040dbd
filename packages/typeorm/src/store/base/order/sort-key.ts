import { type Fragment, sql } from '../../../engine/sql.js';
import { BEFORE_ALL_IDS } from '../../../definition/job-id.js';
import { PRIORITY_RANGE } from '../../../definition/priority-range.js';

/** One step of priority. More than any time in ms until the year 2286, and 500 of them stay below 2^53. */
const PRIORITY_STEP = 10_000_000_000_000;

/** Jobs must be due before this time, in ms: later ones would have the position of another priority. */
export const LATEST_TIME = PRIORITY_STEP;

/** The position of a ready job: smaller priorities first, then older jobs, in one number. */
function positionOf({ priority, runAt }: { readonly priority: number; readonly runAt: number }): number {
  return priority * PRIORITY_STEP + runAt;
}

const STEP = sql.integer(PRIORITY_STEP);

/** An expression for the position of a ready job, from expressions for its priority and its due time. */
export function readyPosition(priority: Fragment, runAt: Fragment): Fragment {
  return sql`${priority} * ${STEP} + ${runAt}`;
}

export function priorityAt(position: number): number {
  return Math.floor(position / PRIORITY_STEP);
}

/** When a ready job at a position was due, in ms. */
export function runAtOf(position: number): number {
  return position - priorityAt(position) * PRIORITY_STEP;
}

/**
 * The place of a job in its lane: lanes are sorted by position and id. Jobs that were stored with one INSERT, or are
 * due at the same time, differ in the id only.
 */
export interface SortKey {
  readonly position: number;
  readonly id: Buffer;
}

/** Before the sort keys of all jobs in any state. */
export const BEFORE_ALL: SortKey = { position: Number.MIN_SAFE_INTEGER, id: BEFORE_ALL_IDS };

/** At or before the sort keys of all ready jobs that were due since 1970. */
export const LANE_HEAD: SortKey = headOfPriority(PRIORITY_RANGE.first);

/** Before all jobs with this position. */
export function headOf(position: number): SortKey {
  return { position, id: BEFORE_ALL_IDS };
}

/** Before all ready jobs with this priority. */
export function headOfPriority(priority: number): SortKey {
  return headOf(positionOf({ priority, runAt: 0 }));
}

/** The sort key of a job while it is ready. */
export function sortKeyOf(job: { readonly priority: number; readonly runAt: number; readonly id: Buffer }): SortKey {
  return { position: positionOf(job), id: job.id };
}

/** The first sort key after another. */
export function sortKeyAfter({ position, id }: SortKey): SortKey {
  // Never all ones: the version of a UUID is among its bits.
  const next = BigInt(`0x${id.toString('hex')}`) + 1n;
  return { position, id: Buffer.from(next.toString(16).padStart(2 * id.length, '0'), 'hex') };
}

/** Negative where the first comes before the second. */
export function compareSortKeys(a: SortKey, b: SortKey): number {
  return a.position - b.position || Buffer.compare(a.id, b.id);
}

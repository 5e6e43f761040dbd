import { BEFORE_ALL_IDS } from '../../definition/job-id.js';

/** One step of priority. More than any time in ms until the year 2286, and 500 of them stay below 2^53. */
const PRIORITY_STEP = 10_000_000_000_000;

/** No job is due at this time, in ms, or later: its position would be that of another priority. */
export const LATEST_TIME = PRIORITY_STEP;

/** The lowest and highest priority. */
export const PRIORITY_RANGE = { first: -500, last: 500 } as const;

/** The position of a ready job: smaller priorities first, then older jobs, in one number. */
function positionOf({ priority, runAt }: { readonly priority: number; readonly runAt: number }): number {
  return priority * PRIORITY_STEP + runAt;
}

/** `positionOf` in SQL, of SQL for the priority and for the due time. */
export function readyPosition(priority: string, runAt: string): string {
  return `${priority} * ${PRIORITY_STEP} + ${runAt}`;
}

/** The priority of a ready job at a position. */
export function priorityAt(position: number): number {
  return Math.floor(position / PRIORITY_STEP);
}

/** When a ready job at a position was due, in ms. */
export function runAtOf(position: number): number {
  return position - priorityAt(position) * PRIORITY_STEP;
}

/** A place among the ready jobs of a queue. Jobs that were stored with one INSERT, or are due together, differ in the id only. */
export interface SortKey {
  readonly position: number;
  readonly id: Buffer;
}

/** No job of any state has this place or one before it. */
export const BEFORE_ALL: SortKey = { position: Number.MIN_SAFE_INTEGER, id: BEFORE_ALL_IDS };

/** No job that was due since 1970 has a place before this one. */
export const LANE_HEAD: SortKey = headOfPriority(PRIORITY_RANGE.first);

/** No job of a position, or of a later one, has a place before this one. */
export function headOf(position: number): SortKey {
  return { position, id: BEFORE_ALL_IDS };
}

/** No job of a priority, or of a lower one, has a place before this one. */
export function headOfPriority(priority: number): SortKey {
  return headOf(positionOf({ priority, runAt: 0 }));
}

/** The place a job has while it is ready. */
export function sortKeyOf(job: { readonly priority: number; readonly runAt: number; readonly id: Buffer }): SortKey {
  return { position: positionOf(job), id: job.id };
}

/** The first place behind another. */
export function sortKeyAfter({ position, id }: SortKey): SortKey {
  // Never all ones: the version of a UUID is among its bits.
  const next = BigInt(`0x${id.toString('hex')}`) + 1n;
  return { position, id: Buffer.from(next.toString(16).padStart(2 * id.length, '0'), 'hex') };
}

/** Negative where the first place comes before the second. */
export function compareSortKeys(a: SortKey, b: SortKey): number {
  return a.position - b.position || Buffer.compare(a.id, b.id);
}

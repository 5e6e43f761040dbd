import { BEHIND_ALL_IDS, firstIdAt } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { isLive } from '../../tables/job.js';
import { findLanes } from '../base/order/find-lanes.js';
import { sortKeyCondition } from '../base/order/sort-key-condition.js';
import { chunksOf, mostUnited } from '../base/chunks.js';
import { laneOf } from '../base/order/tenant-lane.js';
import { type BrowseCursor, type BrowseFilter, type BrowsePage, hasTimes } from './browse-filter.js';
import { type MatchedEntry, byCursorDescending, matchEntries } from './match-entries.js';

/** A lane of jobs of the wanted state, and the progress of reading it. */
interface Lane {
  readonly queue: string;
  /** Its number. */
  readonly lane: number;
  /** Entries that were read but not returned: other lanes were not read that far. In order. */
  readonly ahead: MatchedEntry[];
  /** Where the next read begins: before the first read, its last job or the start of the listing. */
  end: BrowseCursor;
  isComplete: boolean;
  /** How many entries are read at a time; 0 before the first read. */
  size: number;
}

/** How many entries of a lane are read, at least; and of all lanes at first, at most. */
const LEAST_PER_LANE = 16;
const MOST_AT_FIRST = 5_000;
/** How many lanes are read at a time, at least. */
const LEAST_LANES = 64;
/** As many jobs take the time of a lane. See docs/decisions/0149. */
const COST_OF_LANE = 10;

/**
 * Lists the jobs of a state over all lanes: the last in line first, or the one that finished last. It merges the lanes
 * by position and id, so one cursor defines where to continue in each lane.
 *
 * It reads on only in lanes with few unreturned entries. So a long lane does not cause repeated reads of many short
 * ones.
 */
export class LaneBrowser {
  private lanes: Lane[] | undefined;

  constructor(private readonly filter: BrowseFilter) {}

  /**
   * Finds the matching ones among the next jobs. Index: the lanes, backward from a position, and the primary key for
   * what a lane does not contain. Locks nothing.
   *
   * @param after the start of the listing; later calls continue after the page before.
   * @param most how many entries are read, or a few of each lane.
   */
  *nextPage(dialect: Dialect, after: BrowseCursor, most: number): Operation<BrowsePage> {
    this.lanes ??= yield* lanesToRead(dialect, this.filter, startOf(this.filter, after));
    const behind = this.lanes
      .filter(({ ahead, isComplete, size }) => !isComplete && ahead.length <= size / 2)
      .sort((one, other) => byCursorDescending(one.end, other.end));
    const least = Math.min(LEAST_PER_LANE, Math.ceil(MOST_AT_FIRST / behind.length));
    const needed = countTied(behind);
    const count = Math.max(needed, LEAST_LANES, Math.floor(most / (least + COST_OF_LANE)));
    const toRead = behind.slice(0, count);
    const size = Math.max(least, Math.ceil(most / behind.length));
    for (const lanes of chunksOf(toRead, mostUnited(dialect))) {
      yield* readOn(dialect, this.filter, lanes, size);
    }
    // Entries after the first end follow when that lane was read further.
    const [end] = this.lanes.flatMap((lane) => (lane.isComplete ? [] : [lane.end])).sort(byCursorDescending);
    const reached = this.lanes.flatMap((lane) => takeUpTo(lane, end)).sort(byCursorDescending);
    const wanted = reached.filter(({ isWanted }) => isWanted);
    // Without those that are needed a search would never go on from the middle of many lanes.
    return { wanted, end, cost: reached.length + COST_OF_LANE * (toRead.length - needed) };
  }
}

/** Removes the entries up to a position from a lane, and returns them. */
function takeUpTo(lane: Lane, end: BrowseCursor | undefined): MatchedEntry[] {
  const first = end ? lane.ahead.findIndex((entry) => byCursorDescending(entry, end) > 0) : -1;
  return lane.ahead.splice(0, first < 0 ? lane.ahead.length : first);
}

/** How many of these lanes, in the order of their jobs, must be read before any job can be returned. */
function countTied(lanes: readonly Lane[]): number {
  const [first] = lanes;
  return lanes.filter(({ end }) => first && byCursorDescending(first.end, end) === 0).length;
}

function* readOn(dialect: Dialect, filter: BrowseFilter, lanes: readonly Lane[], size: number): Operation<void> {
  for (const lane of lanes) {
    lane.size = size;
  }
  const found = yield* matchEntries(dialect, filter, selectEntries(dialect, filter, lanes), isDecidedByLane(filter));
  const before = lanes.map(({ ahead }) => ahead.length);
  for (const entry of found) {
    const lane = lanes[entry.number] as Lane;
    lane.ahead.push(entry);
    lane.end = entry;
  }
  for (const [index, lane] of lanes.entries()) {
    lane.isComplete = lane.ahead.length - Number(before[index]) < lane.size;
  }
}

/** Whether the lane alone decides. It does not decide on a tenant: two tenants can share a lane of ready jobs. */
function isDecidedByLane(filter: BrowseFilter): boolean {
  const { state, name, key, tenant, error, otherThan, fingerprint = null, notIn = null, asOf = null } = filter;
  const others = [name, key, tenant, error, otherThan, fingerprint, notIn, asOf];
  return others.every((value) => value === null) && (isTimeInLane(state) || !hasTimes(filter));
}

function* lanesToRead(dialect: Dialect, filter: BrowseFilter, after: BrowseCursor): Operation<Lane[]> {
  const { queue, state, tenant } = filter;
  const only = laneOfAll(state, tenant);
  if (queue !== null && only !== null) {
    return [{ queue, lane: only, ahead: [], end: after, isComplete: false, size: 0 }];
  }
  const from = hasTimesInLane(filter) ? filter.from : -Infinity;
  return (yield* findLanes(dialect))
    .filter((lane) => lane.state === state && lane.lane === (only ?? lane.lane) && lane.queue === (queue ?? lane.queue))
    .filter(({ earliest, latest }) => earliest <= after.at && latest >= from)
    .map(({ latest, ...lane }) => {
      const last = { at: latest, id: BEHIND_ALL_IDS };
      const end = byCursorDescending(last, after) > 0 ? last : after;
      return { queue: lane.queue, lane: lane.lane, ahead: [], end, isComplete: false, size: 0 };
    });
}

/** The number of the lane of all wanted jobs; null if they have several. */
function laneOfAll(state: BrowseFilter['state'], tenant: string | null): number | null {
  if (state === 'ready') {
    return tenant === null ? null : laneOf(tenant);
  }
  return state === 'running' ? null : 0;
}

function selectEntries(dialect: Dialect, filter: BrowseFilter, lanes: readonly Lane[]): Fragment {
  const { tables, byLane } = dialect;
  const isInTime = hasTimesInLane(filter) ? sql`AND position >= ${filter.from}` : sql.empty;
  const selects = lanes.map(({ queue, lane, end, size }, index) => {
    const number = sql.integer(index);
    return sql`SELECT * FROM (
                 SELECT ${number} AS number, position AS at, id FROM ${tables.job} ${byLane}
                 WHERE queue = ${queue} AND state = ${filter.state} AND lane = ${lane} ${isInTime}
                   AND ${sortKeyCondition(dialect, '<', { position: end.at, id: end.id })}
                 ORDER BY position DESC, id DESC LIMIT ${sql.integer(size)}
               ) lane_${number}`;
  });
  return sql.join(selects, sql` UNION ALL `);
}

/**
 * The start of the listing: not after the wanted times. With `position < ?` beside the cursor SQLite may use that as
 * the range, and read the lane from there each time.
 */
function startOf(filter: BrowseFilter, after: BrowseCursor): BrowseCursor {
  const end = { at: filter.before, id: firstIdAt(0) };
  return hasTimesInLane(filter) && byCursorDescending(after, end) < 0 ? end : after;
}

/** Whether the filter has times that the lane contains. */
function hasTimesInLane(filter: BrowseFilter): boolean {
  return isTimeInLane(filter.state) && hasTimes(filter);
}

/** Whether the position is the time that a filter means. */
function isTimeInLane(state: BrowseFilter['state']): boolean {
  return state === 'scheduled' || !isLive(state);
}

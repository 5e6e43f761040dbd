import { firstIdAt } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, type Statement, select } from '../../engine/operation.js';
import { afterSortKey } from '../base/after-sort-key.js';
import { MOST_UNITED, chunksOf } from '../base/chunks.js';
import { laneOf } from '../claim/tenant-lanes.js';
import { type BrowseFilter, type BrowsePage, type BrowseCursor, hasTimes } from './browse-filter.js';
import { type MatchedEntry, byCursorDescending, matchEntries } from './match-entries.js';

/** A lane of jobs of the wanted state, and how far it was read. */
interface Lane {
  readonly queue: string;
  readonly owner: number;
  /** What was read of it and stands behind the places that other lanes were read to, the first one last. */
  readonly ahead: MatchedEntry[];
  end: BrowseCursor;
  isOver: boolean;
  /** How many entries of it are read at a time; 0 before the first. */
  size: number;
}

/** How many entries of a lane are read at least. */
const LEAST_PER_LANE = 16;

const NO_CONDITION: Fragment = { sql: '', parameters: [] };

/**
 * The way along live jobs of a state, in all lanes that have some, from the end of the lanes on: of those that wait the last
 * in line comes first. A merge of the lanes by position and id, so one place tells where each goes on.
 *
 * It reads on only in lanes of which little is left, so a long lane beside many short ones does not have these read over and
 * over.
 */
export class LaneBrowser {
  private lanes: Lane[] | undefined;

  constructor(private readonly filter: BrowseFilter) {}

  /**
   * The wanted ones among the next jobs. Index: the lanes, backward from a place on. Only what a lane does not tell is looked
   * up in the jobs' rows. Locks nothing.
   *
   * @param after where the way begins; it goes on by itself.
   * @param most how many entries are read, or a few of each lane.
   */
  *nextPage(dialect: Dialect, after: BrowseCursor, most: number): Operation<BrowsePage> {
    this.lanes ??= yield* lanesOf(dialect, this.filter, startOf(this.filter, after));
    const read = this.lanes.filter(({ ahead, isOver, size }) => !isOver && ahead.length <= size / 2);
    for (const lanes of chunksOf(read, MOST_UNITED)) {
      yield* readOn(dialect, this.filter, lanes, Math.ceil(most / read.length));
    }
    // What stands behind the first end comes when that lane was read further.
    const [end] = this.lanes.flatMap((lane) => (lane.isOver ? [] : [lane.end])).sort(byCursorDescending);
    const reached = this.lanes.flatMap((lane) => pass(lane, end)).sort(byCursorDescending);
    return { wanted: reached.filter(({ isWanted }) => isWanted), end, examined: reached.length };
  }
}

/** Takes what stands before the end out of what was read of a lane. */
function pass(lane: Lane, end: BrowseCursor | undefined): MatchedEntry[] {
  const behind = end ? lane.ahead.findIndex((place) => byCursorDescending(place, end) > 0) : -1;
  return lane.ahead.splice(0, behind < 0 ? lane.ahead.length : behind);
}

function* readOn(dialect: Dialect, filter: BrowseFilter, lanes: readonly Lane[], most: number): Operation<void> {
  for (const lane of lanes) {
    lane.size = Math.max(LEAST_PER_LANE, most);
  }
  const found = yield* matchEntries(dialect, filter, entriesOf(dialect, filter, lanes), isToldByLane(filter));
  const before = lanes.map(({ ahead }) => ahead.length);
  for (const entry of found) {
    const lane = lanes[entry.lane] as Lane;
    lane.ahead.push(entry);
    lane.end = entry;
  }
  for (const [index, lane] of lanes.entries()) {
    lane.isOver = lane.ahead.length - Number(before[index]) < lane.size;
  }
}

/** A lane of ready jobs may be that of two tenants, so a tenant is not told by it. */
function isToldByLane(filter: BrowseFilter): boolean {
  const { state, name, key, tenant, error, otherThan } = filter;
  const others = [name, key, tenant, error, otherThan];
  return others.every((value) => value === null) && (state === 'scheduled' || !hasTimes(filter));
}

function* lanesOf({ lanes }: Dialect, { queue, state, tenant }: BrowseFilter, after: BrowseCursor): Operation<Lane[]> {
  const owner = ownerOf(state, tenant);
  if (queue !== null && owner !== null) {
    return [{ queue, owner, ahead: [], end: after, isOver: false, size: 0 }];
  }
  const rows = yield* select<{ queue: string; state: string; owner: number | string }>(
    `SELECT lanes.queue, lanes.state, lanes.owner FROM (${lanes}) lanes`,
  );
  // Not in a WHERE: MariaDB 10.11 takes that into the derived table, and sorts there.
  return rows
    .map((row) => ({ ...row, owner: Number(row.owner) }))
    .filter((lane) => {
      return lane.state === state && lane.owner === (owner ?? lane.owner) && lane.queue === (queue ?? lane.queue);
    })
    .map((lane) => ({ queue: lane.queue, owner: lane.owner, ahead: [], end: after, isOver: false, size: 0 }));
}

/** The owner of all wanted jobs; null where they have several. */
function ownerOf(state: BrowseFilter['state'], tenant: string | null): number | null {
  if (state === 'ready') {
    return tenant === null ? null : laneOf(tenant);
  }
  return state === 'running' ? null : 0;
}

function entriesOf(dialect: Dialect, filter: BrowseFilter, lanes: readonly Lane[]): Statement {
  const since = hasDueTimes(filter) ? { sql: 'AND position >= ?', parameters: [filter.from] } : NO_CONDITION;
  const entries = lanes.map(({ queue, owner, end, size }, index): Statement => {
    const before = afterSortKey(dialect, '<', { position: end.at, id: end.id });
    return {
      sql: `SELECT * FROM (
       SELECT ${index} AS lane, position AS at, id FROM ${dialect.tables.job} ${dialect.byLane}
       WHERE queue = ? AND state = ? AND owner = ? ${since.sql} AND ${before.sql}
       ORDER BY position DESC, id DESC LIMIT ${Math.trunc(size)}
     ) lane_${index}`,
      parameters: [queue, filter.state, owner, ...since.parameters, ...before.parameters],
    };
  });
  return {
    sql: entries.map(({ sql }) => sql).join(' UNION ALL '),
    parameters: entries.flatMap(({ parameters }) => parameters),
  };
}

/**
 * Where the way begins: not behind the times that are wanted. With `position < ?` beside the place SQLite may range on that
 * instead, and read the lane from there each time.
 */
function startOf(filter: BrowseFilter, after: BrowseCursor): BrowseCursor {
  const end = { at: filter.before, id: firstIdAt(0) };
  return hasDueTimes(filter) && byCursorDescending(after, end) < 0 ? end : after;
}

/** Whether times were asked for that the lane tells: the position of a scheduled job is the time it is due. */
function hasDueTimes(filter: BrowseFilter): boolean {
  return filter.state === 'scheduled' && hasTimes(filter);
}

import { firstIdAt } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type BrowseFilter, type BrowsePage, type BrowseCursor, LAST_TIME, matchesFilter } from './browse-filter.js';

/** How far the clock of a process that enqueues may be ahead of the database's, in ms. */
const MOST_DRIFT = 3_600_000;

/**
 * The wanted ones among the next finished jobs, from the one that was created last on. There is no index by outcome, so it
 * reads every row it passes.
 *
 * Index: the primary key, backward from a place on; over several day partitions it is merged. Locks nothing.
 *
 * @param most how many are looked at.
 */
export function* browseHistory(
  { tables, byPrimaryKey }: Dialect,
  filter: BrowseFilter,
  after: BrowseCursor,
  most: number,
): Operation<BrowsePage> {
  const limit = Math.trunc(most);
  const condition = matchesFilter(filter);
  const rows = yield* select<{ id: Buffer; wanted: number | string }>(
    `SELECT id, CASE WHEN ${condition.sql} THEN 1 ELSE 0 END AS wanted FROM ${tables.history} ${byPrimaryKey}
     WHERE id < ? ORDER BY id DESC LIMIT ${limit}`,
    [...condition.parameters, startOf(filter, after)],
  );
  const last = rows.at(-1);
  return {
    wanted: rows.filter(({ wanted }) => Number(wanted) === 1).map(({ id }) => ({ at: 0, id })),
    end: last && rows.length === limit ? { at: 0, id: last.id } : undefined,
    examined: rows.length,
  };
}

/** A job that ended before a time was created before it. */
function startOf({ before }: BrowseFilter, after: BrowseCursor): Buffer {
  const first = before < LAST_TIME ? firstIdAt(before + MOST_DRIFT) : after.id;
  return Buffer.compare(first, after.id) < 0 ? first : after.id;
}

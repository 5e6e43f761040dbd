import { firstIdAt } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type BrowseCursor, type BrowseFilter, type BrowsePage, LAST_TIME, matchesFilter } from './browse-filter.js';

/** How far the clock of an enqueuing process may be ahead of the database's, in ms. */
const MOST_DRIFT = 3_600_000;

/**
 * Finds the matching ones among the next finished jobs, the one created last first. There is no index by outcome, so it
 * reads every row on the way. See docs/decisions/0050.
 *
 * Index: the primary key, backward from a position. Locks nothing.
 *
 * @param most how many jobs are read.
 */
export function* browseHistory(
  { tables, byPrimaryKey }: Dialect,
  filter: BrowseFilter,
  after: BrowseCursor,
  most: number,
): Operation<BrowsePage> {
  const limit = Math.trunc(most);
  const rows = yield* select<{ id: Buffer; wanted: number | string }>(
    sql`SELECT id, CASE WHEN ${matchesFilter(filter)} THEN 1 ELSE 0 END AS wanted FROM ${tables.history} ${byPrimaryKey}
        WHERE id < ${startOf(filter, after)} ORDER BY id DESC LIMIT ${sql.integer(limit)}`,
  );
  const last = rows.at(-1);
  return {
    wanted: rows.filter(({ wanted }) => Number(wanted) === 1).map(({ id }) => ({ at: 0, id })),
    end: last && rows.length === limit ? { at: 0, id: last.id } : undefined,
    examined: rows.length,
  };
}

/** A job that finished before a time was created before it. */
function startOf({ before }: BrowseFilter, after: BrowseCursor): Buffer {
  const first = before < LAST_TIME ? firstIdAt(before + MOST_DRIFT) : after.id;
  return Buffer.compare(first, after.id) < 0 ? first : after.id;
}

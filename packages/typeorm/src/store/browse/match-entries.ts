import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type BrowseCursor, type BrowseFilter, isLive, matchesFilter } from './browse-filter.js';

/** An index entry of a job, and whether the job matches the filter. */
export interface MatchedEntry extends BrowseCursor {
  /** The number of its lane in the statement. */
  readonly lane: number;
  readonly isWanted: boolean;
}

/**
 * Reads index entries of jobs, and checks whether the jobs match a filter.
 *
 * Index: that of the entries, and the primary key: an entry is joined to its row if the entry alone does not decide. An
 * outer join keeps the order of the entries; an entry whose job is gone does not match. Locks nothing. See
 * docs/decisions/0071.
 *
 * @param entries a SELECT with a limit and the columns `lane`, `at` and `id`.
 * @param allMatch whether all entries match.
 */
export function* matchEntries(
  { tables, byPrimaryKey }: Dialect,
  filter: BrowseFilter,
  entries: Fragment,
  allMatch: boolean,
): Operation<MatchedEntry[]> {
  const table = isLive(filter.state) ? tables.job : tables.history;
  const rows = yield* select<{ lane: number | string; at: number | string; id: Buffer; wanted: number | string }>(
    allMatch
      ? sql`SELECT lane, at, id, 1 AS wanted FROM (${entries}) entries`
      : sql`SELECT entries.lane, entries.at, entries.id,
                   CASE WHEN ${matchesFilter(filter)} THEN 1 ELSE 0 END AS wanted
            FROM (${entries}) entries LEFT JOIN ${table} job ${byPrimaryKey} ON job.id = entries.id`,
  );
  return rows
    .map(({ lane, at, id, wanted }) => ({ lane: Number(lane), at: Number(at), id, isWanted: Number(wanted) === 1 }))
    .sort(byCursorDescending);
}

/** The order of the entries: the highest cursor first. */
export function byCursorDescending(a: BrowseCursor, b: BrowseCursor): number {
  return b.at - a.at || Buffer.compare(b.id, a.id);
}

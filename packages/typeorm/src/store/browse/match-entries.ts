import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type BrowseCursor, type BrowseFilter, matchesFilter } from './browse-filter.js';

/** An index entry of a job, and whether the job matches the filter. */
export interface MatchedEntry extends BrowseCursor {
  /** The number of its SELECT in the statement. */
  readonly number: number;
  readonly isWanted: boolean;
}

/**
 * Reads index entries of jobs, and checks whether the jobs match a filter.
 *
 * Index: that of the entries, and the primary key: an entry is joined to its row if the entry alone does not decide. An
 * outer join keeps the order of the entries; an entry whose job is gone does not match. Locks nothing. See
 * docs/decisions/0071.
 *
 * @param entries a SELECT with a limit and the columns `number`, `at` and `id`.
 * @param allMatch whether all entries match.
 */
export function* matchEntries(
  { tables, byPrimaryKey }: Dialect,
  filter: BrowseFilter,
  entries: Fragment,
  allMatch: boolean,
): Operation<MatchedEntry[]> {
  const rows = yield* select<{ number: number | string; at: number | string; id: Buffer; wanted: number | string }>(
    allMatch
      ? sql`SELECT number, at, id, 1 AS wanted FROM (${entries}) entries`
      : sql`SELECT entries.number, entries.at, entries.id,
                   CASE WHEN ${matchesFilter(filter)} THEN 1 ELSE 0 END AS wanted
            FROM (${entries}) entries LEFT JOIN ${tables.job} job ${byPrimaryKey} ON job.id = entries.id`,
  );
  return rows
    .map(({ number, at, id, wanted }) => ({
      number: Number(number),
      at: Number(at),
      id,
      isWanted: Number(wanted) === 1,
    }))
    .sort(byCursorDescending);
}

/** The order of the entries: the highest cursor first. */
export function byCursorDescending(a: BrowseCursor, b: BrowseCursor): number {
  return b.at - a.at || Buffer.compare(b.id, a.id);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Statement, select } from '../../engine/operation.js';
import { type BrowseFilter, type BrowseCursor, isLive, matchesFilter } from './browse-filter.js';

/** A job that was looked at. */
export interface MatchedEntry extends BrowseCursor {
  /** In which part of the way it stands. */
  readonly lane: number;
  readonly isWanted: boolean;
}

/**
 * Looks at jobs that stand on a way, the last ones first, whether they are wanted.
 *
 * Index: that of the way, and the primary key: each entry is joined to its row, where the entry does not tell enough. With
 * the ids sent back in a second statement it took 1.5 to 3.3 times the CPU time (see docs/decisions.md). The join is
 * an outer one because that keeps its order; an entry whose job has gone on is not wanted. Locks nothing.
 *
 * @param way a SELECT of the entries, with a limit, and with the columns `lane`, `at` and `id`.
 * @param isTold whether all entries of the way are wanted.
 */
export function* matchEntries(
  { tables, byPrimaryKey }: Dialect,
  filter: BrowseFilter,
  way: Statement,
  isTold: boolean,
): Operation<MatchedEntry[]> {
  const table = isLive(filter.state) ? tables.job : tables.history;
  const condition = matchesFilter(filter);
  const rows = yield* select<{ lane: number | string; at: number | string; id: Buffer; wanted: number | string }>(
    isTold
      ? `SELECT lane, at, id, 1 AS wanted FROM (${way.sql}) way`
      : `SELECT way.lane, way.at, way.id, CASE WHEN ${condition.sql} THEN 1 ELSE 0 END AS wanted
         FROM (${way.sql}) way LEFT JOIN ${table} job ${byPrimaryKey} ON job.id = way.id`,
    isTold ? way.parameters : [...condition.parameters, ...way.parameters],
  );
  return rows
    .map(({ lane, at, id, wanted }) => ({ lane: Number(lane), at: Number(at), id, isWanted: Number(wanted) === 1 }))
    .sort(byCursorDescending);
}

/** The order of the places on every way. */
export function byCursorDescending(a: BrowseCursor, b: BrowseCursor): number {
  return b.at - a.at || Buffer.compare(b.id, a.id);
}

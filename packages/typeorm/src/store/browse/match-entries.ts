import { isEncoded } from '../../codec/encoded-text.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type BrowseCursor, type BrowseFilter, matchesFilter } from './browse-filter.js';
import { COMPARED_CHARACTERS, identifyError } from '../base/error-fingerprint.js';

/** An index entry of a job, and whether the job matches the filter. */
export interface MatchedEntry extends BrowseCursor {
  /** The number of its SELECT in the statement. */
  readonly number: number;
  readonly isWanted: boolean;
}

interface EntryRow {
  readonly number: number | string;
  readonly at: number | string;
  readonly id: Buffer;
  readonly wanted: number | string;
  /** The beginning of the last error, if its fingerprint is compared. */
  readonly error: string | null;
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
  const { fingerprint = null } = filter;
  const error =
    fingerprint === null
      ? sql`NULL`
      : sql`CASE WHEN ${matchesFilter(filter)} THEN SUBSTR(last_error, 1, ${sql.integer(COMPARED_CHARACTERS)}) END`;
  const rows = yield* select<EntryRow>(
    allMatch
      ? sql`SELECT number, at, id, 1 AS wanted, NULL AS error FROM (${entries}) entries`
      : sql`SELECT entries.number, entries.at, entries.id,
                   CASE WHEN ${matchesFilter(filter)} THEN 1 ELSE 0 END AS wanted, ${error} AS error
            FROM (${entries}) entries LEFT JOIN ${tables.job} job ${byPrimaryKey} ON job.id = entries.id`,
  );
  return rows
    .map(({ number, at, id, wanted, error: text }) => ({
      number: Number(number),
      at: Number(at),
      id,
      isWanted: Number(wanted) === 1 && (fingerprint === null || hasFingerprint(text, fingerprint)),
    }))
    .sort(byCursorDescending);
}

function hasFingerprint(error: string | null, fingerprint: string): boolean {
  return error !== null && !isEncoded(error) && identifyError(error).fingerprint === fingerprint;
}

/** The order of the entries: the highest cursor first. */
export function byCursorDescending(a: BrowseCursor, b: BrowseCursor): number {
  return b.at - a.at || Buffer.compare(b.id, a.id);
}

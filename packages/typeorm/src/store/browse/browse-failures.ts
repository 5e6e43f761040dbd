import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { NEWEST_FIRST, selectNextFailures } from '../base/order/next-failures.js';
import type { BrowseCursor, BrowseFilter, BrowsePage } from './browse-filter.js';
import { matchEntries } from './match-entries.js';

/**
 * Finds the matching ones among the next failed jobs, the latest failure first.
 *
 * Index: see `selectNextFailures`, and the primary key of the history for what the failures do not contain. Locks
 * nothing.
 *
 * @param most how many failures are read.
 */
export function* browseFailures(
  dialect: Dialect,
  filter: BrowseFilter,
  after: BrowseCursor,
  most: number,
): Operation<BrowsePage> {
  const { name, key, tenant, error, otherThan } = filter;
  const limit = Math.trunc(most);
  const failures = selectNextFailures(dialect, filter, NEWEST_FIRST, { finishedAt: after.at, id: after.id }, limit);
  const entries = yield* matchEntries(
    dialect,
    filter,
    sql`SELECT 0 AS lane, failures.finished_at AS at, failures.job_id AS id FROM (${failures}) failures`,
    [name, key, tenant, error, otherThan].every((value) => value === null),
  );
  return {
    wanted: entries.filter(({ isWanted }) => isWanted),
    end: entries.length === limit ? entries.at(-1) : undefined,
    examined: entries.length,
  };
}

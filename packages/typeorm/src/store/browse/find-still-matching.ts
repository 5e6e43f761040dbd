import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type BrowseCursor, type BrowseFilter, matchesFilter } from './browse-filter.js';

/**
 * Finds those of up to 400 jobs that still match a filter, apart from its fingerprint. Index: the primary key. Locks
 * nothing.
 */
export function* findStillMatching(
  { tables, byPrimaryKey }: Dialect,
  filter: BrowseFilter,
  jobs: readonly BrowseCursor[],
): Operation<BrowseCursor[]> {
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${tables.job} ${byPrimaryKey}
        WHERE id IN (${sql.list(jobs.map(({ id }) => id))}) AND ${matchesFilter(filter)}`,
  );
  const matching = new Set(rows.map(({ id }) => id.toString('hex')));
  return jobs.filter(({ id }) => matching.has(id.toString('hex')));
}

import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { NEWEST_FIRST, nextFailures } from '../reports/find-failed-jobs.js';
import type { BrowseFilter, BrowsePage, BrowseCursor } from './browse-filter.js';
import { matchEntries } from './match-entries.js';

/**
 * The wanted ones among the next failed jobs, from the one that failed last on.
 *
 * Index: see `findFailedJobs`. What the failures do not tell stands in the history's rows, by primary key. Locks nothing.
 *
 * @param most how many are looked at.
 */
export function* browseFailures(
  dialect: Dialect,
  filter: BrowseFilter,
  after: BrowseCursor,
  most: number,
): Operation<BrowsePage> {
  const { name, key, tenant, error, otherThan } = filter;
  const limit = Math.trunc(most);
  const failures = nextFailures(dialect, filter, NEWEST_FIRST, { finishedAt: after.at, id: after.id }, limit);
  const entries = yield* matchEntries(
    dialect,
    filter,
    {
      sql: `SELECT 0 AS lane, failures.finished_at AS at, failures.job_id AS id FROM (${failures.sql}) failures`,
      parameters: failures.parameters,
    },
    [name, key, tenant, error, otherThan].every((value) => value === null),
  );
  return {
    wanted: entries.filter(({ isWanted }) => isWanted),
    end: entries.length === limit ? entries.at(-1) : undefined,
    examined: entries.length,
  };
}

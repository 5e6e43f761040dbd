import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import type { BrowseFilter, BrowsePage, BrowseCursor } from './browse-filter.js';
import { matchEntries } from './match-entries.js';

/**
 * The wanted ones among the next jobs with a key, from the one that was created last on.
 *
 * Index: the primary key of the keys, backward from a place on, then that of the jobs or of the history. Locks nothing.
 *
 * @param most how many are looked at.
 */
export function* browseByKey(
  dialect: Dialect,
  filter: BrowseFilter & { readonly key: string },
  after: BrowseCursor,
  most: number,
): Operation<BrowsePage> {
  const limit = Math.trunc(most);
  const entries = yield* matchEntries(
    dialect,
    filter,
    {
      sql: `SELECT 0 AS lane, 0 AS at, job_id AS id FROM ${dialect.tables.key} ${dialect.byPrimaryKey}
            WHERE job_key = ? AND job_id < ? ORDER BY job_id DESC LIMIT ${limit}`,
      parameters: [filter.key, after.id],
    },
    false,
  );
  return {
    wanted: entries.filter(({ isWanted }) => isWanted),
    end: entries.length === limit ? entries.at(-1) : undefined,
    examined: entries.length,
  };
}

import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { BrowseCursor, BrowseFilter, BrowsePage } from './browse-filter.js';
import { matchEntries } from './match-entries.js';

/**
 * Finds the matching ones among the next jobs with a key, the one created last first.
 *
 * Index: the primary key of the keys, backward from a position, then that of the jobs. Locks nothing.
 *
 * @param most how many jobs are read.
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
    sql`SELECT 0 AS number, 0 AS at, job_id AS id FROM ${dialect.tables.key} ${dialect.byPrimaryKey}
        WHERE job_key = ${filter.key} AND job_id < ${after.id} ORDER BY job_id DESC LIMIT ${sql.integer(limit)}`,
    false,
  );
  return {
    wanted: entries.filter(({ isWanted }) => isWanted),
    end: entries.length === limit ? entries.at(-1) : undefined,
    cost: entries.length,
  };
}

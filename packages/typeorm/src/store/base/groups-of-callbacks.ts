import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, sql } from '../../engine/sql.js';

/**
 * How many groups are searched. The ids of a group and its jobs are generated one after another: only groups of other
 * calls and processes within the same milliseconds have ids between them.
 */
const MOST_SEARCHED = 1_000;

/**
 * The groups whose callbacks some jobs are. There is no index for them, because every group would pay for it: this
 * searches the groups created before the latest of the jobs, the latest first. Index: the primary key.
 *
 * @param columns of the groups; with the three callbacks.
 */
export function groupsOfCallbacks(
  { tables }: Dialect,
  columns: Fragment,
  jobs: readonly Buffer[],
  latest: Buffer,
): Fragment {
  const isOne = sql`IN (${sql.list(jobs)})`;
  return sql`SELECT * FROM (SELECT ${columns} FROM ${tables.group}
                            WHERE id < ${latest} ORDER BY id DESC LIMIT ${sql.integer(MOST_SEARCHED)}) recent
             WHERE on_success ${isOne} OR on_failure ${isOne} OR on_complete ${isOne}`;
}

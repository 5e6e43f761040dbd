import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { LiveState, Outcome } from '../../tables/job.js';

/** Which jobs with a key: those that match every value that is not null. */
export interface KeyFilter {
  readonly key: string;
  readonly queue: string | null;
  readonly name: string | null;
  readonly tenant: string | null;
}

/**
 * Reads the states of the jobs with a key, the one created last first; null for a job that is gone or does not match.
 *
 * Index: the primary key of the keys, backward, then that of the jobs. No GROUP BY, which would need a temporary table
 * for each call. Locks nothing.
 *
 * @param most how many jobs are read.
 */
export function* statesByKey(
  { tables, byPrimaryKey }: Dialect,
  { key, queue, name, tenant }: KeyFilter,
  most: number,
): Operation<(LiveState | Outcome | null)[]> {
  const conditions = [
    sql`job.job_key = ${key}`,
    ...(queue === null ? [] : [sql`job.queue = ${queue}`]),
    ...(name === null ? [] : [sql`job.name = ${name}`]),
    ...(tenant === null ? [] : [sql`job.tenant = ${tenant}`]),
  ];
  const rows = yield* select<{ state: LiveState | Outcome | null }>(
    sql`SELECT CASE WHEN ${sql.join(conditions, sql` AND `)} THEN job.state END AS state
        FROM (
          SELECT job_id AS id FROM ${tables.key} ${byPrimaryKey}
          WHERE job_key = ${key} ORDER BY job_id DESC LIMIT ${sql.integer(most)}
        ) entries
        LEFT JOIN ${tables.job} job ${byPrimaryKey} ON job.id = entries.id`,
  );
  return rows.map(({ state }) => state);
}

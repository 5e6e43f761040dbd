import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import type { Outcome } from '../../tables/history.js';
import type { LiveState } from '../../tables/job.js';

/** Which of the jobs with a key: those for which everything holds that is not null. */
export interface KeyFilter {
  readonly key: string;
  readonly queue: string | null;
  readonly name: string | null;
  readonly tenant: string | null;
}

/**
 * The states of the jobs with a key, one for each job, the one that was created last first; of a job that another way of
 * asking does not want, and of one that is gone, null.
 *
 * Index: the primary key of the keys, backward, then that of the jobs and of the history: a job is in one of the two, and one
 * statement sees it there also while it ends. Nothing is grouped: that would be a table of its own for each call. Locks
 * nothing.
 *
 * @param most how many are looked at.
 */
export function* statesByKey(
  { tables, byPrimaryKey }: Dialect,
  { key, queue, name, tenant }: KeyFilter,
  most: number,
): Operation<(LiveState | Outcome | null)[]> {
  const conditions: [sql: string, value: string][] = [['COALESCE(job.job_key, history.job_key) = ?', key]];
  const add = (sql: string, value: string | null) => value !== null && conditions.push([sql, value]);
  add('COALESCE(job.queue, history.queue) = ?', queue);
  add('COALESCE(job.name, history.name) = ?', name);
  add('COALESCE(job.tenant, history.tenant) = ?', tenant);
  const rows = yield* select<{ state: LiveState | Outcome | null }>(
    `SELECT CASE WHEN ${conditions.map(([sql]) => sql).join(' AND ')} THEN COALESCE(job.state, history.state) END AS state
     FROM (
       SELECT job_id AS id FROM ${tables.key} ${byPrimaryKey} WHERE job_key = ? ORDER BY job_id DESC LIMIT ${Math.trunc(most)}
     ) way
     LEFT JOIN ${tables.job} job ${byPrimaryKey} ON job.id = way.id
     LEFT JOIN ${tables.history} history ${byPrimaryKey} ON history.id = way.id AND job.id IS NULL`,
    [...conditions.map(([, value]) => value), key],
  );
  return rows.map(({ state }) => state);
}

import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../engine/operation.js';
import { CLAIMED_COLUMNS, toClaimedJob } from './claimed-job.js';
import { inKeyOrder } from './fence.js';
import { writeHistory } from './write-history.js';

/**
 * scheduled or ready → cancelled: out of the live table and into the history, in the caller's transaction or in one of
 * its own. A running job is left alone.
 *
 * Index: the primary key, also where the jobs were looked up by key before: a locking read along a key would, at
 * REPEATABLE READ, lock the gaps around it and every enqueue that falls into them. Locks: the jobs' rows, in the order
 * of their ids.
 *
 * @param name cancels only jobs of this name; null cancels all.
 * @returns the ids of the cancelled jobs.
 */
export function* cancelJobs(dialect: Dialect, ids: readonly Buffer[], name: string | null): Operation<Buffer[]> {
  if (ids.length === 0) {
    return [];
  }
  const sorted = inKeyOrder(ids.map((id) => ({ id }))).map(({ id }) => id);
  const rows = yield* select(
    `SELECT ${CLAIMED_COLUMNS} FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
     WHERE id IN (${placeholders(sorted)}) AND state <> 'running'${name === null ? '' : ' AND name = ?'}
     ${dialect.forUpdate}`,
    name === null ? sorted : [...sorted, name],
  );
  const jobs = rows.map(toClaimedJob);
  if (jobs.length === 0) {
    return [];
  }
  const cancelled = jobs.map(({ id }) => id);
  yield* writeHistory(
    dialect,
    jobs.map((job) => ({
      ...job,
      state: 'cancelled',
      result: null,
      error: job.lastError,
      claimedAt: job.claimedAt || null,
    })),
  );
  yield* change(`${dialect.deleteFromJob} WHERE id IN (${placeholders(cancelled)}) AND state <> 'running'`, cancelled);
  return cancelled;
}

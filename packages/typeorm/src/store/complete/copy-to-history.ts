import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { WhenLocked } from '../base/locks/lock-skipping-locked.js';

/**
 * Copies jobs to the history as succeeded, inside the server, and locks their rows until the transaction ends. Only
 * inside the transaction that deletes them from the live table afterwards: jobs that it has not locked must not be
 * deleted.
 *
 * Only ids and results are sent: see docs/decisions/0012. Inside an INSERT … SELECT, SKIP LOCKED skips locked rows on
 * both servers; inside an UPDATE it does not.
 *
 * @param fence of jobs in the order of their ids, which is the order of the locks.
 * @param result an expression for each job's result.
 * @returns how many were copied: the jobs that this worker still holds and, unless it waits, that are not locked.
 */
export function* copyToHistory(
  dialect: Dialect,
  fence: Fragment,
  result: Fragment,
  whenLocked: WhenLocked,
): Operation<number> {
  const { tables, byPrimaryKey, now, forUpdate, forUpdateSkipLocked } = dialect;
  return yield* change(
    sql`INSERT INTO ${tables.history}
       (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error,
        progress, tenant, trace, created_at, run_at, claimed_at, finished_at)
     SELECT id, queue, 'succeeded', owner, name, job_key, payload, payload_version, priority, attempt, failures,
        ${result}, last_error, progress, tenant, trace, created_at, run_at, claimed_at, ${now}
     FROM ${tables.job} ${byPrimaryKey}
     WHERE ${fence}
     ${whenLocked === 'wait' ? forUpdate : forUpdateSkipLocked}`,
  );
}

import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, change } from '../../engine/operation.js';
import type { IfLocked } from './lock-running.js';

/**
 * Copies jobs that are still held to the history as succeeded, inside the server, and locks their rows until the
 * transaction ends. Only inside the transaction that deletes them from the live table afterwards: what it has not locked is not ours and
 * must not be deleted.
 *
 * Nothing but ids and results is sent: against an INSERT of the values, batches of 200 took 6 instead of 9 ms on MariaDB 10.11 and
 * 12 instead of 14 ms on MySQL 9.7, and a third of the client's CPU (2026-11-20).
 *
 * Inside an INSERT … SELECT, SKIP LOCKED does skip, on both servers; inside an UPDATE it does not.
 *
 * @param fence of jobs in the order of their ids, which is the order of the locks.
 * @param result what is written down as each job's result.
 * @returns how many were copied: those that are still held, and not locked where it does not wait.
 */
export function* copyToHistory(
  dialect: Dialect,
  fence: Fragment,
  result: Fragment,
  ifLocked: IfLocked,
): Operation<number> {
  const { tables, byPrimaryKey, now, forUpdate, forUpdateSkipLocked } = dialect;
  return yield* change(
    `INSERT INTO ${tables.history}
       (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error,
        progress, tenant, trace, created_at, run_at, claimed_at, finished_at)
     SELECT id, queue, 'succeeded', owner, name, job_key, payload, payload_version, priority, attempt, failures,
        ${result.sql}, last_error, progress, tenant, trace, created_at, run_at, claimed_at, ${now}
     FROM ${tables.job} ${byPrimaryKey}
     WHERE ${fence.sql}
     ${ifLocked === 'wait' ? forUpdate : forUpdateSkipLocked}`,
    [...result.parameters, ...fence.parameters],
  );
}

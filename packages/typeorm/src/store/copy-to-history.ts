import type { Dialect } from '../engine/dialect.js';
import { type Operation, change } from '../engine/operation.js';
import type { Condition } from './fence.js';

/**
 * Copies jobs that are still held to the history as succeeded, inside the server, and locks their rows until the transaction ends.
 * Only inside the transaction that deletes them from the live table afterwards: what it has not locked is not ours and
 * must not be deleted.
 *
 * Nothing but ids is sent: against an INSERT of the values, batches of 200 took 6 instead of 9 ms on MariaDB 10.11 and
 * 12 instead of 14 ms on MySQL 9.7, and a third of the client's CPU (2026-11-20).
 *
 * @param fence of jobs in the order of their ids, which is the order of the locks.
 * @returns how many were still held.
 */
export function* copyToHistory(dialect: Dialect, fence: Condition): Operation<number> {
  const { tables, byPrimaryKey, now, forUpdate } = dialect;
  return yield* change(
    `INSERT INTO ${tables.history}
       (id, queue, state, owner, name, job_key, payload, priority, attempt, failures, error, progress,
        tenant, created_at, run_at, claimed_at, finished_at)
     SELECT id, queue, 'succeeded', owner, name, job_key, payload, priority, attempt, failures, last_error, progress,
        tenant, created_at, run_at, claimed_at, ${now}
     FROM ${tables.job} ${byPrimaryKey}
     WHERE ${fence.sql}
     ${forUpdate}`,
    fence.parameters,
  );
}

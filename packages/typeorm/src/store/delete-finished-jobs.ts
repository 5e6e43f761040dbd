import type { Dialect } from '../engine/dialect.js';
import { type Operation, placeholders } from '../engine/operation.js';
import { type AttemptState, mayHaveErrors } from './attempt-errors.js';
import { deleteById } from './delete-by-id.js';
import { deleteKeys } from './delete-keys.js';
import type { Condition } from './fence.js';
import { lockFree } from './lock-free.js';

interface FinishedRow extends AttemptState {
  readonly id: Buffer;
  readonly job_key: string | null;
}

/**
 * Deletes jobs from the history for good, with their keys, their errors and what is noted of failures. Part of a
 * transaction.
 *
 * Index: the primary keys. Locks: the history's rows, passing over those that somebody puts back to ready just now; the
 * condition is asked again under the lock, for jobs that were put back and have ended again since they were found. So
 * a key is never taken from a job that lives. Does nothing the second time.
 *
 * @param ids in key order.
 * @returns how many were deleted.
 */
export function* deleteFinishedJobs(dialect: Dialect, ids: readonly Buffer[], condition: Condition): Operation<number> {
  const rows = yield* lockFree<Buffer, FinishedRow>(
    dialect,
    ids,
    (id) => id.toString('hex'),
    (some, locking) => ({
      sql: `SELECT id, job_key, state, attempt FROM ${dialect.tables.history} ${dialect.byPrimaryKey}
            WHERE id IN (${placeholders(some)}) AND (${condition.sql}) ${locking}`,
      parameters: [...some, ...condition.parameters],
    }),
  );
  yield* deleteKeys(
    dialect,
    'history',
    rows.map(({ id, job_key: key }) => ({ id, key })),
  );
  yield* deleteById(
    dialect,
    'error',
    rows.filter(mayHaveErrors).map(({ id }) => id),
  );
  yield* forgetFailures(dialect, rows);
  const locked = rows.map(({ id }) => id);
  yield* deleteById(dialect, 'history', locked);
  return rows.length;
}

/** Forgets what is noted of the failed ones among rows of the history that are locked and about to be deleted. */
export function* forgetFailures(
  dialect: Dialect,
  rows: readonly { readonly id: Buffer; readonly state: string }[],
): Operation<void> {
  const failed = rows.filter(({ state }) => state === 'failed').map(({ id }) => id);
  yield* deleteById(dialect, 'failure', failed);
}

import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { writeHistory } from './write-history.js';
import { CLAIMED_COLUMNS, toClaimedJob } from './claimed-job.js';
import { completeGroupMembers } from './complete-group-members.js';
import { type LockingSelect, lockAll, lockSkippingLocked } from '../locks/lock-skipping-locked.js';
import { freeKeys, holdersUntilFinished, lockKeysOf } from '../keys/unique-keys.js';

export interface CancelledJob {
  readonly id: Buffer;
  readonly groupId: Buffer | null;
}

/**
 * waiting, scheduled or ready → cancelled: moves jobs from the live table to the history. Part of a transaction.
 *
 * Index: the primary key. Locks: the jobs and their unique keys. A second run changes nothing.
 *
 * @param ids in key order, at most `MOST_IDS`.
 * @param skipsLocked skips jobs that another transaction has locked; otherwise waits for them.
 * @returns the cancelled jobs: others may have been claimed, or have their unique key locked.
 */
export function* cancelWaiting(
  dialect: Dialect,
  ids: readonly Buffer[],
  skipsLocked = false,
): Operation<readonly CancelledJob[]> {
  const { job } = dialect.tables;
  const select: LockingSelect<Buffer> = (some, locking) =>
    sql`SELECT ${CLAIMED_COLUMNS}, queue, last_error, progress, claimed_at FROM ${job} ${dialect.byPrimaryKey}
        WHERE id IN (${sql.list(some)}) AND state <> 'running' ${locking}`;
  const rows = skipsLocked
    ? yield* lockSkippingLocked(dialect, ids, (id) => id.toString('hex'), select)
    : yield* lockAll(ids, select, dialect.forUpdate);
  if (rows.length === 0) {
    return [];
  }
  const found = rows.map((row) => ({
    ...toClaimedJob(row, Number(row.attempt), { queue: row.queue as string, owner: 0 }),
    state: 'cancelled' as const,
    result: null,
    error: row.last_error as string | null,
    progress: row.progress as string | null,
    claimedAt: Number(row.claimed_at) || null,
  }));
  const { keys, busy } = yield* lockKeysOf(dialect, found);
  const holders = holdersUntilFinished(keys);
  const entries = found
    .filter((entry) => !busy.has(entry))
    .map((entry) => (holders.has(entry.id.toString('hex')) ? entry : { ...entry, uniqueKey: null }));
  if (entries.length === 0) {
    return [];
  }
  const cancelled = entries.map(({ id }) => id);
  yield* writeHistory(dialect, entries);
  yield* change(sql`${dialect.deleteFrom(job)} WHERE id IN (${sql.list(cancelled)}) AND state <> 'running'`);
  yield* completeGroupMembers(
    dialect,
    entries.map(({ id, groupId, state }) => ({ id, groupId, outcome: state })),
  );
  yield* freeKeys(dialect, keys);
  return entries;
}

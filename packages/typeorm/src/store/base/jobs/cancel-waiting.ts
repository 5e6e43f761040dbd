import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { type Holder, freeKeys, holdersUntilFinished, lockKeysOf } from '../keys/unique-keys.js';
import { type LockingSelect, lockAll, lockSkippingLocked } from '../locks/lock-skipping-locked.js';
import { IS_QUEUED, intoFinished } from '../order/lane.js';
import { deletePlaces, endHeads } from '../ordered/end-ordered.js';
import { completeGroupMembers } from './complete-group-members.js';

export interface CancelledJob {
  readonly id: Buffer;
  readonly name: string;
  readonly groupId: Buffer | null;
  readonly orderKey: string | null;
  /** Whether it waits until it is the head of its key. */
  readonly isBehind: boolean;
}

/**
 * waiting, scheduled or ready → cancelled. Part of a transaction.
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
  const { tables, byPrimaryKey } = dialect;
  const select: LockingSelect<Buffer> = (some, locking) =>
    sql`SELECT id, name, unique_key, group_id, order_key, order_head FROM ${tables.job} ${byPrimaryKey}
        WHERE id IN (${sql.list(some)}) AND ${IS_QUEUED} ${locking}`;
  const rows = skipsLocked
    ? yield* lockSkippingLocked(dialect, ids, (id) => id.toString('hex'), select)
    : yield* lockAll(ids, select, dialect.forUpdate);
  if (rows.length === 0) {
    return [];
  }
  const found = rows.map((row): Holder & CancelledJob => ({
    id: row.id as Buffer,
    name: row.name as string,
    uniqueKey: row.unique_key as string | null,
    groupId: row.group_id as Buffer | null,
    orderKey: row.order_key as string | null,
    isBehind: row.order_head !== null && Number(row.order_head) === 0,
  }));
  const { keys, busy } = yield* lockKeysOf(dialect, found);
  const cancelled = found.filter((job) => !busy.has(job));
  if (cancelled.length === 0) {
    return [];
  }
  const holders = holdersUntilFinished(keys);
  const losing = cancelled.filter(({ id, uniqueKey }) => uniqueKey !== null && !holders.has(id.toString('hex')));
  const idsOf = (jobs: readonly CancelledJob[]) => sql.list(jobs.map(({ id }) => id));
  if (losing.length > 0) {
    yield* change(sql`UPDATE ${tables.job} ${byPrimaryKey} SET unique_key = NULL WHERE id IN (${idsOf(losing)})`);
  }
  yield* change(
    sql`UPDATE ${tables.job} ${byPrimaryKey} SET ${intoFinished(dialect, sql`'cancelled'`)}
        WHERE id IN (${idsOf(cancelled)}) AND ${IS_QUEUED}`,
  );
  yield* completeGroupMembers(
    dialect,
    cancelled.map(({ id, groupId }) => ({ id, groupId, outcome: 'cancelled' })),
  );
  yield* endHeads(
    dialect,
    cancelled.filter(({ isBehind }) => !isBehind).map((job) => ({ ...job, outcome: 'cancelled' })),
  );
  yield* deletePlaces(
    dialect,
    cancelled.filter(({ isBehind }) => isBehind).map(({ id }) => id),
  );
  yield* freeKeys(dialect, keys);
  return cancelled;
}

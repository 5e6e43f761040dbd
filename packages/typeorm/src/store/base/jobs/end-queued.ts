import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { type Holder, freeKeys, holdersUntilFinished, lockKeysOf } from '../keys/unique-keys.js';
import { type LockingSelect, lockAll, lockSkippingLocked } from '../locks/lock-skipping-locked.js';
import { IS_QUEUED, intoFinished } from '../order/lane.js';
import { deletePlaces, endHeads } from '../ordered/end-ordered.js';
import { completeGroupMembers } from './complete-group-members.js';
import { hasExpired } from './has-expired.js';
import { REPORTED_COLUMNS, type ReportedJob, toReportedJob } from './reported-job.js';

/** A job that has ended without an attempt at its end. */
export interface EndedQueuedJob extends ReportedJob {
  readonly groupId: Buffer | null;
  readonly orderKey: string | null;
  /** Whether it waits until it is the head of its key. */
  readonly isBehind: boolean;
}

/**
 * waiting, scheduled or ready → cancelled or expired. Part of a transaction.
 *
 * Index: the primary key. Locks: the jobs and their unique keys. A second run changes nothing.
 *
 * @param ids in key order, at most `MOST_IDS`.
 * @param skipsLocked skips jobs that another transaction has locked; otherwise waits for them.
 * @returns the ended jobs: others may have been claimed, have their unique key locked, or have not expired.
 */
export function* endQueued(
  dialect: Dialect,
  ids: readonly Buffer[],
  outcome: 'cancelled' | 'expired',
  skipsLocked = false,
): Operation<readonly EndedQueuedJob[]> {
  const { tables, byPrimaryKey } = dialect;
  const isDue = outcome === 'expired' ? sql` AND ${hasExpired(dialect)}` : sql.empty;
  const select: LockingSelect<Buffer> = (some, locking) =>
    sql`SELECT ${REPORTED_COLUMNS}, unique_key, group_id, order_key, order_head
        FROM ${tables.job} ${byPrimaryKey}
        WHERE id IN (${sql.list(some)}) AND ${IS_QUEUED}${isDue} ${locking}`;
  const rows = skipsLocked
    ? yield* lockSkippingLocked(dialect, ids, (id) => id.toString('hex'), select)
    : yield* lockAll(ids, select, dialect.forUpdate);
  if (rows.length === 0) {
    return [];
  }
  const found = rows.map((row): Holder & EndedQueuedJob => ({
    ...toReportedJob(row),
    uniqueKey: row.unique_key as string | null,
    groupId: row.group_id as Buffer | null,
    orderKey: row.order_key as string | null,
    isBehind: row.order_head !== null && Number(row.order_head) === 0,
  }));
  const { keys, busy } = yield* lockKeysOf(dialect, found);
  const ended = found.filter((job) => !busy.has(job));
  if (ended.length === 0) {
    return [];
  }
  const holders = holdersUntilFinished(keys);
  const losing = ended.filter(({ id, uniqueKey }) => uniqueKey !== null && !holders.has(id.toString('hex')));
  const idsOf = (jobs: readonly EndedQueuedJob[]) => sql.list(jobs.map(({ id }) => id));
  if (losing.length > 0) {
    yield* change(sql`UPDATE ${tables.job} ${byPrimaryKey} SET unique_key = NULL WHERE id IN (${idsOf(losing)})`);
  }
  yield* change(
    sql`UPDATE ${tables.job} ${byPrimaryKey} SET ${intoFinished(dialect, sql`${outcome}`)}
        WHERE id IN (${idsOf(ended)}) AND ${IS_QUEUED}`,
  );
  yield* completeGroupMembers(
    dialect,
    ended.map(({ id, groupId }) => ({ id, groupId, outcome })),
  );
  yield* endHeads(
    dialect,
    ended.filter(({ isBehind }) => !isBehind).map((job) => ({ ...job, outcome })),
  );
  yield* deletePlaces(
    dialect,
    ended.filter(({ isBehind }) => isBehind).map(({ id }) => id),
  );
  yield* freeKeys(dialect, keys);
  return ended;
}

import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import { inKeyOrder } from './fence.js';
import { lockSkippingLocked } from './lock-skipping-locked.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../jobs/queued-job.js';

/**
 * Locks up to `MOST_IDS` live jobs that meet a condition, skipping those that a claim or a transaction of the
 * application has locked. Part of a transaction.
 *
 * Index: the primary key, in its order. A plain read comes first: at REPEATABLE READ, a locking read of a deleted row
 * would lock a gap. The locking read checks the condition again.
 */
export function* lockWaiting(dialect: Dialect, ids: readonly Buffer[], condition: Fragment): Operation<QueuedJob[]> {
  const { job } = dialect.tables;
  const among = (some: readonly Buffer[], columns: Fragment) =>
    sql`SELECT ${columns} FROM ${job} ${dialect.byPrimaryKey} WHERE id IN (${sql.list(some)}) AND ${condition}`;
  const found = ids.length === 0 ? [] : yield* select<{ id: Buffer }>(among(ids, sql`id`));
  if (found.length === 0) {
    return [];
  }
  const rows = yield* lockSkippingLocked<Buffer, QueuedRow>(
    dialect,
    inKeyOrder(found).map(({ id }) => id),
    (id) => id.toString('hex'),
    (some, locking) => sql`${among(some, sql`id, queue, priority, tenant`)} ${locking}`,
  );
  return rows.map(toQueuedJob);
}

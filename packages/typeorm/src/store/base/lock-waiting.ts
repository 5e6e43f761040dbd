import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, placeholders, select } from '../../engine/operation.js';
import { inKeyOrder } from './fence.js';
import { lockSkippingLocked } from './lock-skipping-locked.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from './queued-job.js';

/**
 * Locks live jobs, up to `MOST_IDS`, that meet a condition, but those that somebody else has locked: a claim, or a
 * transaction of the application's. Part of a transaction.
 *
 * Index: the primary key, in its order, like every batch. A plain read comes first: looking up a row that is gone with a
 * lock would, at REPEATABLE READ, lock a gap. Behind the lock the condition is looked at again.
 */
export function* lockWaiting(
  dialect: Dialect,
  ids: readonly Buffer[],
  { sql: condition, parameters }: Fragment,
): Operation<QueuedJob[]> {
  const { job } = dialect.tables;
  const among = (some: readonly Buffer[], columns: string) =>
    `SELECT ${columns} FROM ${job} ${dialect.byPrimaryKey} WHERE id IN (${placeholders(some)}) AND ${condition}`;
  const found = ids.length === 0 ? [] : yield* select<{ id: Buffer }>(among(ids, 'id'), [...ids, ...parameters]);
  if (found.length === 0) {
    return [];
  }
  const rows = yield* lockSkippingLocked<Buffer, QueuedRow>(
    dialect,
    inKeyOrder(found).map(({ id }) => id),
    (id) => id.toString('hex'),
    (some, locking) => ({
      sql: `${among(some, 'id, queue, priority, tenant')} ${locking}`,
      parameters: [...some, ...parameters],
    }),
  );
  return rows.map(toQueuedJob);
}

import { RESERVED_QUEUES } from '../../definition/reserved-queues.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { lockWaiting } from '../base/locks/lock-waiting.js';
import type { QueuedJob } from '../base/jobs/queued-job.js';
import { IS_QUEUED } from '../base/order/lane.js';

/**
 * Moves jobs that are not running to another queue. They keep their state, their due time, their priority and what
 * else they have: keys, orders, groups and tenants do not depend on the queue. Part of a transaction.
 *
 * Either a claim has the row or this. Jobs of reserved queues stay: they run nowhere else. Index: the primary key.
 * Locks: see `lockWaiting`. A second run changes nothing.
 *
 * @param ids up to `MOST_IDS`.
 * @returns the moved jobs, ready or not.
 */
export function* moveJobs(dialect: Dialect, ids: readonly Buffer[], queue: string): Operation<QueuedJob[]> {
  const isElsewhere = sql`${IS_QUEUED} AND queue NOT IN (${sql.list([queue, ...RESERVED_QUEUES.keys()])})`;
  const locked = yield* lockWaiting(dialect, ids, isElsewhere);
  if (locked.length > 0) {
    yield* change(
      sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET queue = ${queue}
          WHERE id IN (${sql.list(locked.map(({ id }) => id))}) AND ${isElsewhere}`,
    );
  }
  return locked.map((job) => ({ ...job, queue }));
}

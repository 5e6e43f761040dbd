import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { lockWaiting } from '../base/locks/lock-waiting.js';
import type { QueuedJob } from '../base/jobs/queued-job.js';
import { IS_QUEUED } from '../base/order/lane.js';
import { readyPosition } from '../base/order/sort-key.js';

/**
 * Changes the priority of jobs that are not running; ready ones get their new position in their lane. Part of a
 * transaction.
 *
 * Either a claim has the row or this: a running job keeps its priority until it is retried. Index: the primary key.
 * Locks: see `lockWaiting`. A second run changes nothing.
 *
 * @param ids up to `MOST_IDS`.
 * @param priority a whole number.
 * @returns the changed jobs, ready or not.
 */
export function* changePriority(dialect: Dialect, ids: readonly Buffer[], priority: number): Operation<QueuedJob[]> {
  const locked = yield* lockWaiting(dialect, ids, sql`${IS_QUEUED} AND priority <> ${priority}`);
  if (locked.length > 0) {
    const position = readyPosition(sql.integer(priority), sql`run_at`);
    yield* change(
      sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
          SET position = CASE WHEN state = 'ready' THEN ${position} ELSE position END, priority = ${priority}
          WHERE id IN (${sql.list(locked.map(({ id }) => id))}) AND ${IS_QUEUED}`,
    );
  }
  return locked.map((job) => ({ ...job, priority }));
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { lockWaiting } from '../base/lock-waiting.js';
import { readyPosition } from '../base/sort-key.js';
import type { QueuedJob } from '../base/queued-job.js';

/**
 * Gives jobs that do not run another priority; ready ones move to their new place in their lane. Part of a transaction.
 *
 * A claim has the row or this has: a job that runs keeps its priority until it is retried. Index: the primary key. Locks:
 * see `lockWaiting`. Does nothing the second time.
 *
 * @param ids up to `MOST_IDS`.
 * @param priority a whole number.
 * @returns those that were changed; whether they are ready is not looked at.
 */
export function* changePriority(dialect: Dialect, ids: readonly Buffer[], priority: number): Operation<QueuedJob[]> {
  const locked = yield* lockWaiting(dialect, ids, sql`state <> 'running' AND priority <> ${priority}`);
  if (locked.length > 0) {
    const moved = readyPosition(sql.integer(priority), sql`run_at`);
    yield* change(
      `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
       SET position = CASE WHEN state = 'ready' THEN ${moved} ELSE position END, priority = ?
       WHERE id IN (${placeholders(locked)}) AND state <> 'running'`,
      [priority, ...locked.map(({ id }) => id)],
    );
  }
  return locked.map((job) => ({ ...job, priority }));
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { lockWaiting } from '../base/lock-waiting.js';
import { readyPosition } from '../base/sort-key.js';
import type { QueuedJob } from '../base/queued-job.js';

/**
 * scheduled → ready, before their time: due from now on. Part of a transaction.
 *
 * Whoever comes first, this or the promotion, a cancellation or a replacement, has the row; the other finds it in
 * another state. Index: the primary key. Locks: see `lockWaiting`. Does nothing the second time: the job is scheduled no
 * more, or, after a retry, again and then it has run.
 *
 * @param ids up to `MOST_IDS`.
 */
export function* runJobsNow(dialect: Dialect, ids: readonly Buffer[]): Operation<QueuedJob[]> {
  const scheduled = sql`state = 'scheduled'`;
  const locked = yield* lockWaiting(dialect, ids, scheduled);
  if (locked.length > 0) {
    yield* change(
      `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
       SET state = 'ready', owner = lane, position = ${readyPosition(sql`priority`, dialect.now)}, run_at = ${dialect.now}
       WHERE id IN (${placeholders(locked)}) AND ${scheduled}`,
      locked.map(({ id }) => id),
    );
  }
  return locked;
}

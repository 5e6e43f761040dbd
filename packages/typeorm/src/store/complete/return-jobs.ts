import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { Fence } from '../base/jobs/claimed-job.js';
import { INTO_READY_LANE_AGAIN } from '../base/order/lane.js';
import { lockRunning } from '../base/locks/lock-running.js';

/**
 * running → ready: a worker that stops returns its jobs. It does not count as a failure; they keep their sort key.
 *
 * Part of a transaction. Index: the primary key. Locks: the jobs' rows, in the order of their ids, see
 * `lock-running.ts`. Does nothing the second time.
 *
 * @returns the jobs that could not be returned, because another transaction has locked them.
 */
export function* returnJobs<Job extends Fence>(dialect: Dialect, jobs: readonly Job[]): Operation<readonly Job[]> {
  const { ours, fence, busy } = yield* lockRunning(dialect, jobs, (job) => job);
  if (ours.length > 0) {
    yield* change(
      sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET ${INTO_READY_LANE_AGAIN} WHERE ${fence}`,
    );
  }
  return busy;
}

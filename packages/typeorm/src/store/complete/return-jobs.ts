import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import type { Fence } from '../base/claimed-job.js';
import { INTO_READY_LANE } from '../base/lane.js';
import { lockRunning } from './lock-running.js';

/**
 * running → ready: a worker that stops hands its jobs back. No failure is charged; they keep their place in the queue.
 *
 * Part of a transaction. Index: the primary key. Locks: the jobs' rows, in the order of their ids, see
 * `lock-running.ts`. Does nothing the second time.
 *
 * @returns those that could not be handed back, because an open transaction has locked them.
 */
export function* returnJobs<Job extends Fence>(dialect: Dialect, jobs: readonly Job[]): Operation<readonly Job[]> {
  const { ours, fence, busy } = yield* lockRunning(dialect, jobs, (job) => job);
  if (ours.length > 0) {
    yield* change(
      `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET ${INTO_READY_LANE} WHERE ${fence.sql}`,
      fence.parameters,
    );
  }
  return busy;
}

import type { Dialect } from '../engine/dialect.js';
import { type Operation, change } from '../engine/operation.js';
import type { Fence } from './claimed-job.js';
import { fenced, inKeyOrder } from './fence.js';
import { INTO_READY_LANE } from './lane.js';

/**
 * running → ready: a worker that stops hands its jobs back. No attempt is charged; they keep their place in the queue.
 *
 * Index: the primary key. Locks: the jobs' rows, in the order of their ids. Does nothing the second time.
 *
 * @returns how many were handed back.
 */
export function* releaseJobs(dialect: Dialect, jobs: readonly Fence[]): Operation<number> {
  const { sql, parameters } = fenced(inKeyOrder(jobs));
  return yield* change(
    `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET ${INTO_READY_LANE} WHERE ${sql}`,
    parameters,
  );
}

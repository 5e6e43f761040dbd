import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { takeKeys } from '../base/keys/take-keys.js';
import { deleteUniqueKeys } from '../base/keys/unique-keys.js';
import { IS_LIVE, lockAvailableJobs } from '../base/order/lane.js';
import type { LostKey } from './find-lost-rows.js';

/**
 * Takes the unique keys of live jobs again whose rows were lost. Part of a transaction; a second run changes nothing.
 *
 * How long the key lasts was in the lost row. It lasts until the job has finished: that is never too short. A key that
 * another job has taken since stays with that job, and the oldest of several jobs gets it.
 *
 * Index and locks: the primary keys, first of the keys and then of the jobs, as an enqueue does. It waits for enqueues
 * of the same keys, and skips jobs that another transaction has locked: these may be ending.
 *
 * @param lost up to `MOST_IDS`, in the order of their ids.
 * @returns how many keys were taken.
 */
export function* restoreUniqueKeys(dialect: Dialect, lost: readonly LostKey[]): Operation<number> {
  const held = yield* takeKeys(
    dialect,
    lost.map((key) => ({ ...key, lasts: 'unfinished', window: null })),
  );
  const taken = held.filter(({ jobId }, index) => jobId.equals(lost[index]!.jobId));
  const live = yield* lockAvailableJobs(
    dialect,
    taken.map(({ jobId }) => jobId),
    sql`unique_key IS NOT NULL AND ${IS_LIVE}`,
  );
  const unlocked = taken.filter(({ jobId }) => !live.some((id) => id.equals(jobId)));
  if (unlocked.length > 0) {
    yield* deleteUniqueKeys(dialect, unlocked);
  }
  return live.length;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders } from '../../engine/operation.js';
import { type ClaimedJob, CLAIMED_COLUMNS, byTurn, toClaimedJob } from '../claimed-job.js';
import { lockFirst } from '../lane.js';
import type { ClaimRequest, ClaimStrategy } from './claim-strategy.js';

/**
 * MySQL from 8.0.1, MariaDB from 10.6: locks the first ready jobs that nobody else has locked, marks them as this
 * owner's, and commits. `lockFirst` says everything about indexes and locks. If the process dies before the commit
 * nothing has happened; after it the jobs are running jobs of a worker without a lease, and the reaper frees them.
 */
export const skipLocked: ClaimStrategy = {
  name: 'skip-locked',
  claim: (engine, request) =>
    engine.execute((dialect) => claimJobs(dialect, request), {
      purpose: 'claim jobs',
      atomic: true,
      repeatable: false,
    }),
};

function* claimJobs(dialect: Dialect, { queue, owner, number, limit, from }: ClaimRequest): Operation<ClaimedJob[]> {
  const rows = yield* lockFirst(
    dialect,
    { queue, state: 'ready', owner: 0, from },
    limit,
    `${CLAIMED_COLUMNS}, ${dialect.now} AS present`,
  );
  if (rows.length === 0) {
    return [];
  }
  const jobs = rows.map((row) => ({
    ...toClaimedJob(row),
    owner,
    attempt: Number(row.attempt) + 1,
    claimedAt: Number(row.present),
  }));
  const ids = jobs.map(({ id }) => id);
  yield* change(
    `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
     SET state = 'running', owner = ?, position = ?, attempt = attempt + 1, claimed_at = ?
     WHERE id IN (${placeholders(ids)}) AND state = 'ready'`,
    [owner, number, jobs[0]?.claimedAt ?? 0, ...ids],
  );
  return jobs.sort(byTurn);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders } from '../../engine/operation.js';
import { type ClaimedJob, CLAIMED_COLUMNS, toClaimedJob } from '../claimed-job.js';
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

function* claimJobs(dialect: Dialect, request: ClaimRequest): Operation<ClaimedJob[]> {
  const { queue, owner, number, limit, from } = request;
  const rows = yield* lockFirst(dialect, { queue, state: 'ready', owner: 0, from }, limit, CLAIMED_COLUMNS);
  if (rows.length > 0) {
    const ids = rows.map(({ id }) => id as Buffer);
    yield* change(
      `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
       SET state = 'running', owner = ?, position = ?, attempt = attempt + 1, claimed_at = ${dialect.now}
       WHERE id IN (${placeholders(ids)}) AND state = 'ready'`,
      [owner, number, ...ids],
    );
  }
  return rows.map((row) => toClaimedJob(row, Number(row.attempt) + 1, request));
}

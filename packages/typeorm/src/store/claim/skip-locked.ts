import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type ClaimedJob, CLAIMED_COLUMNS, byTurn, toClaimedJob } from '../claimed-job.js';
import type { ClaimRequest, ClaimStrategy } from './claim-strategy.js';

/**
 * MySQL from 8.0.1, MariaDB from 10.6: update first, then read by owner. Two statements, each committed by itself; the
 * first is the claim and says everything about locks in `MysqlDialect.moveLane`. If the process dies between the two,
 * the jobs are running jobs of a worker without a lease and the reaper frees them.
 */
export const skipLocked: ClaimStrategy = {
  name: 'skip-locked',
  claim: (engine, request) =>
    engine.execute((dialect) => claimJobs(dialect, request), { purpose: 'claim jobs', repeatable: false }),
};

function* claimJobs(dialect: Dialect, { queue, owner, number, limit }: ClaimRequest): Operation<ClaimedJob[]> {
  const claimed = yield* dialect.moveLane(
    { queue, state: 'ready', owner: 0, limit },
    `state = 'running', owner = ?, position = ?, attempt = attempt + 1, claimed_at = ${dialect.now}`,
    [owner, number],
  );
  if (claimed === 0) {
    return [];
  }
  const rows = yield* select(
    `SELECT ${CLAIMED_COLUMNS} FROM ${dialect.tables.job} ${dialect.byLane}
     WHERE queue = ? AND state = 'running' AND owner = ? AND position = ?`,
    [queue, owner, number],
  );
  return rows.map(toClaimedJob).sort(byTurn);
}

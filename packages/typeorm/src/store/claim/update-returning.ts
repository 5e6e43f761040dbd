import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type ClaimedJob, CLAIMED_COLUMNS, byTurn, toClaimedJob } from '../claimed-job.js';
import type { ClaimRequest, ClaimStrategy } from './claim-strategy.js';

/** SQLite: one UPDATE … RETURNING. Index entries of jobs that are gone are gone too, so there is no lower bound. */
export const updateReturning: ClaimStrategy = {
  name: 'update-returning',
  claim: (engine, request) => engine.execute((dialect) => claimJobs(dialect, request), { purpose: 'claim jobs' }),
};

function* claimJobs(dialect: Dialect, request: ClaimRequest): Operation<ClaimedJob[]> {
  const { queue, owner, number, limit } = request;
  const { job } = dialect.tables;
  const rows = yield* select(
    `UPDATE ${job}
     SET state = 'running', owner = ?, position = ?, attempt = attempt + 1, claimed_at = ${dialect.now}
     WHERE id IN (
       SELECT id FROM ${job}
       WHERE queue = ? AND state = 'ready' AND owner = 0
       ORDER BY position, id
       LIMIT ${Math.trunc(limit)}
     )
     RETURNING ${CLAIMED_COLUMNS}`,
    [owner, number, queue],
  );
  return rows.map((row) => toClaimedJob(row, Number(row.attempt), request)).sort(byTurn);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type ClaimedJob, CLAIMED_COLUMNS, byTurn, toClaimedJob } from '../claimed-job.js';
import type { ClaimRequest, ClaimStrategy } from './claim-strategy.js';

/**
 * SQLite: one UPDATE … RETURNING. A look without a write lock comes first, so that an idle worker does not get in the
 * way of other processes that use the file.
 */
export const updateReturning: ClaimStrategy = {
  name: 'update-returning',
  async claim(engine, request) {
    const ready = await engine.execute((dialect) => hasReadyJob(dialect, request.queue), {
      purpose: 'look for jobs',
      readOnly: true,
    });
    return ready ? engine.execute((dialect) => claimJobs(dialect, request), { purpose: 'claim jobs' }) : [];
  },
};

function* hasReadyJob({ tables }: Dialect, queue: string): Operation<boolean> {
  const rows = yield* select(`SELECT 1 FROM ${tables.job} WHERE queue = ? AND state = 'ready' AND owner = 0 LIMIT 1`, [
    queue,
  ]);
  return rows.length > 0;
}

function* claimJobs(dialect: Dialect, { queue, owner, number, limit }: ClaimRequest): Operation<ClaimedJob[]> {
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
  return rows.map(toClaimedJob).sort(byTurn);
}

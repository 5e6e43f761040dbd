import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Statement, select } from '../../engine/operation.js';
import { type ClaimedJob, CLAIMED_COLUMNS, byTurn, toClaimedJob } from '../base/claimed-job.js';
import { endQueued, lockKeysOf } from '../base/unique-keys.js';
import { claimAdmitted } from './admission.js';
import { claimRoundRobin } from './claim-round-robin.js';
import type { Claim, ClaimRequest, ClaimStrategy } from './claim-strategy.js';

/**
 * SQLite: one UPDATE … RETURNING, and what limits and unique keys need, in one transaction. No application's is open
 * then, so no unique key is locked. Index entries of jobs that are gone are gone too, so there is no lower bound.
 */
export const updateReturning: ClaimStrategy = {
  name: 'update-returning',
  claim: (engine, request) =>
    engine.execute((dialect) => claim(dialect, request), { purpose: 'claim jobs', atomic: true }),
};

function claim(dialect: Dialect, request: ClaimRequest): Operation<Claim> {
  if (request.turns) {
    return claimRoundRobin(dialect, request, request.turns);
  }
  return claimAdmitted(dialect, request, (limit) => takeFirst(dialect, request, limit));
}

function* takeFirst(
  dialect: Dialect,
  { queue, owner, number }: ClaimRequest,
  limit: number,
): Operation<readonly ClaimedJob[]> {
  const { sql, parameters } = takeFirstReady(dialect, { queue, owner, number }, limit);
  const rows = yield* select(sql, parameters);
  const jobs = rows.map((row) => toClaimedJob(row, Number(row.attempt), { queue, owner })).sort(byTurn);
  const { keys } = yield* lockKeysOf(dialect, jobs);
  return yield* endQueued(dialect, jobs, keys);
}

/** The statement that takes the first ready jobs of a queue, without a tenant. */
export function takeFirstReady(
  { tables, now }: Dialect,
  { queue, owner, number }: Pick<ClaimRequest, 'queue' | 'owner' | 'number'>,
  limit: number,
): Statement {
  return {
    sql: `UPDATE ${tables.job}
          SET state = 'running', owner = ?, position = ?, attempt = attempt + 1, claimed_at = ${now}
          WHERE id IN (
            SELECT id FROM ${tables.job}
            WHERE queue = ? AND state = 'ready' AND owner = 0
            ORDER BY position, id
            LIMIT ${Math.trunc(limit)}
          )
          RETURNING ${CLAIMED_COLUMNS}`,
    parameters: [owner, number, queue],
  };
}

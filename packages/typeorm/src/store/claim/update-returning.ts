import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type ClaimedJob, CLAIMED_COLUMNS, byPriority, toClaimedJob } from '../base/jobs/claimed-job.js';
import { freeKeysOfClaimed, lockKeysOf } from '../base/keys/unique-keys.js';
import { claimAdmitted } from './admission.js';
import { claimRoundRobin } from './claim-round-robin.js';
import type { Claim, ClaimRequest, ClaimStrategy } from './claim-strategy.js';

/**
 * SQLite: one UPDATE … RETURNING, and the statements for limits and unique keys, in one transaction. No transaction of
 * the application is open then, so no unique key is locked. Jobs leave no index entries behind, so there is no lower
 * bound.
 */
export const updateReturning: ClaimStrategy = {
  name: 'update-returning',
  claim: (engine, request) =>
    engine.execute((dialect) => claim(dialect, request), { purpose: 'claim jobs', atomic: true }),
};

function claim(dialect: Dialect, request: ClaimRequest): Operation<Claim> {
  if (request.tenantLanes) {
    return claimRoundRobin(dialect, request, request.tenantLanes);
  }
  return claimAdmitted(dialect, request, (limit) => takeFirst(dialect, request, limit));
}

function* takeFirst(
  dialect: Dialect,
  { queue, owner, number }: ClaimRequest,
  limit: number,
): Operation<readonly ClaimedJob[]> {
  const rows = yield* select(takeFirstReady(dialect, { queue, owner, number }, limit));
  const jobs = rows.map((row) => toClaimedJob(row, Number(row.attempt), { queue, owner })).sort(byPriority);
  const { keys } = yield* lockKeysOf(dialect, jobs);
  return yield* freeKeysOfClaimed(dialect, jobs, keys);
}

/** The statement that takes the first ready jobs of a queue, without a tenant. */
export function takeFirstReady(
  { tables, now }: Dialect,
  { queue, owner, number }: Pick<ClaimRequest, 'queue' | 'owner' | 'number'>,
  limit: number,
): Fragment {
  return sql`
    UPDATE ${tables.job}
    SET state = 'running', owner = ${owner}, lane = ${owner}, position = ${number}, attempt = attempt + 1,
        claimed_at = ${now}
    WHERE id IN (
      SELECT id FROM ${tables.job}
      WHERE queue = ${queue} AND state = 'ready' AND lane = 0
      ORDER BY position, id
      LIMIT ${sql.integer(limit)}
    )
    RETURNING ${CLAIMED_COLUMNS}`;
}

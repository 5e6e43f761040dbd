import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { byPriority, claimedColumns, isExpired, toClaimedJob } from '../base/jobs/claimed-job.js';
import { freeKeysOfClaimed, lockKeysOf } from '../base/keys/unique-keys.js';
import { INTO_READY_LANE } from '../base/order/lane.js';
import { LANE_HEAD } from '../base/order/sort-key.js';
import { claimAdmitted } from './admission.js';
import { claimRoundRobin } from './claim-round-robin.js';
import type { Claim, ClaimRequest, ClaimStrategy, TakenJobs } from './claim-strategy.js';
import { findExpiredReady } from './find-expired-ready.js';

/**
 * SQLite: one UPDATE … RETURNING, and the statements for limits and unique keys, in one transaction. No transaction of
 * the application is open then, so no unique key is locked. Jobs leave no index entries behind, so there is no lower
 * bound. Expired jobs that the UPDATE has taken are put back: a condition in its SELECT would read all of them each
 * time.
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

function* takeFirst(dialect: Dialect, { queue, owner, number }: ClaimRequest, limit: number): Operation<TakenJobs> {
  const rows = yield* select(takeFirstReady(dialect, { queue, owner, number }, limit));
  const late = rows.filter(isExpired);
  if (late.length > 0) {
    yield* putBack(
      dialect,
      late.map(({ id }) => id as Buffer),
    );
  }
  const inTime = late.length === 0 ? rows : rows.filter((row) => !isExpired(row));
  const jobs = inTime.map((row) => toClaimedJob(row, Number(row.attempt), { queue, owner })).sort(byPriority);
  const { keys } = yield* lockKeysOf(dialect, jobs);
  return {
    jobs: yield* freeKeysOfClaimed(dialect, jobs, keys),
    expired: late.length > 0 ? yield* findExpiredReady(dialect, queue, LANE_HEAD) : [],
  };
}

/** Nothing has seen that they were taken. */
function* putBack({ tables }: Dialect, ids: readonly Buffer[]): Operation<void> {
  for (const some of chunksOf(ids, MOST_IDS)) {
    yield* change(
      sql`UPDATE ${tables.job} SET ${INTO_READY_LANE}, attempt = attempt - 1, claimed_at = 0
          WHERE id IN (${sql.list(some)})`,
    );
  }
}

/** The statement that takes the first ready jobs of a queue, without a tenant. */
export function takeFirstReady(
  dialect: Dialect,
  { queue, owner, number }: Pick<ClaimRequest, 'queue' | 'owner' | 'number'>,
  limit: number,
): Fragment {
  const { tables, now } = dialect;
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
    RETURNING ${claimedColumns(dialect)}`;
}

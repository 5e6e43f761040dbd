import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type ClaimedJob, byPriority, claimedColumns, toClaimedJob } from '../base/jobs/claimed-job.js';
import { hasExpired } from '../base/jobs/has-expired.js';
import { MOST_IDS } from '../base/chunks.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { firstReady, lockAvailableJobs } from '../base/order/lane.js';
import { type SortKey, sortKeyAfter } from '../base/order/sort-key.js';
import { type Holder, type LockedKey, freeKeysOfClaimed, lockKeysOf } from '../base/keys/unique-keys.js';
import { claimAdmitted } from './admission.js';
import { LONGEST_CLAIM, claimRoundRobin } from './claim-round-robin.js';
import type { Claim, ClaimRequest, ClaimStrategy, TakenJobs } from './claim-strategy.js';
import { findExpiredReady } from './find-expired-ready.js';
import { markRunning } from './mark-running.js';

/**
 * Update, then select: finds ready jobs without locks, takes those that are still ready with one UPDATE by primary key,
 * and reads them by their owner. For servers where SKIP LOCKED is missing or ignored, or does not see the other nodes:
 * Galera with several writers.
 *
 * Two workers find the same jobs; the second finds them taken and continues after them. So under contention it costs
 * more than SKIP LOCKED, but it never waits for an uncommitted enqueue. Jobs that a transaction of the application has
 * locked, or whose unique key it has locked, are skipped: see `lockSkippingLocked`. If the process dies before the
 * commit, nothing has happened; if an answer is lost, `returnClaim` finds the jobs by their claim.
 */
export const compareAndSet: ClaimStrategy = {
  name: 'compare-and-set',
  claim: (engine, request) =>
    engine.execute((dialect) => claimJobs(dialect, request), {
      purpose: 'claim jobs',
      atomic: true,
      repeatable: false,
    }),
};

/** Part of a transaction. */
export function claimJobs(dialect: Dialect, request: ClaimRequest): Operation<Claim> {
  if (request.tenantLanes) {
    return claimRoundRobin(dialect, request, request.tenantLanes);
  }
  return claimAdmitted(dialect, request, (limit) => takeFirst(dialect, request, limit));
}

/**
 * Continues after jobs that are locked or taken. It stops at expired ones if it has others, or has met `MOST_IDS`:
 * there may be thousands, and the claimer ends them first. It does not stop at fewer, because a transaction may have
 * locked them. Unique keys are locked before their jobs, as an enqueue does, so there are no deadlocks where SKIP
 * LOCKED is missing.
 */
function* takeFirst(dialect: Dialect, request: ClaimRequest, limit: number): Operation<TakenJobs> {
  const keys: LockedKey[] = [];
  const until = performance.now() + LONGEST_CLAIM;
  let taken = 0;
  let expired = 0;
  for (let from: SortKey | undefined = request.from; from && taken < limit;) {
    const wanted = expired > 0 ? MOST_IDS : limit - taken;
    const found: readonly FoundJob[] = yield* findReady(dialect, request.queue, from, wanted);
    const allInTime = found.filter((job) => job.expired !== 1);
    expired += found.length - allInTime.length;
    const inTime = allInTime.slice(0, limit - taken);
    const held = yield* lockKeysOf(dialect, inTime);
    const free = inKeyOrder(inTime.filter((job) => !held.busy.has(job))).map(({ id }) => id);
    // An enqueue may have replaced one since then, by a job of a tenant or in another queue.
    const ids = yield* lockAvailableJobs(dialect, free, sql`queue = ${request.queue} AND state = 'ready' AND lane = 0`);
    if (ids.length > 0) {
      const canExpire = found.some((job) => job.expired !== null);
      taken += yield* change(markRunning(dialect, request, ids, canExpire));
      keys.push(...held.keys);
    }
    const isCut = inTime.length < allInTime.length;
    const last = isCut ? inTime.at(-1) : found.at(-1);
    const stopsAtExpired = expired >= MOST_IDS || (expired > 0 && taken > 0);
    const goesOn = (isCut || found.length === wanted) && performance.now() < until && !stopsAtExpired;
    from = last && goesOn ? sortKeyAfter(last) : undefined;
  }
  return {
    jobs: taken === 0 ? [] : yield* freeKeysOfClaimed(dialect, yield* readTaken(dialect, request), keys),
    expired: expired > 0 ? yield* findExpiredReady(dialect, request.queue, request.from) : [],
  };
}

/** A ready job that was read without a lock. */
interface FoundJob extends Holder, SortKey {
  /** 1 for an expired job, 0 for one that can expire, null for one that cannot. */
  readonly expired: number | null;
}

function* findReady(dialect: Dialect, queue: string, from: SortKey, limit: number): Operation<FoundJob[]> {
  const columns = sql`id, position, name, unique_key, ${hasExpired(dialect)} AS expired`;
  const rows = yield* select(firstReady(dialect, queue, from, limit, columns));
  return rows.map((row) => ({
    id: row.id as Buffer,
    position: Number(row.position),
    name: row.name as string,
    uniqueKey: row.unique_key as string | null,
    expired: row.expired === null ? null : Number(row.expired),
  }));
}

/** Index: the lane of this worker's running jobs, in which the jobs of this claim are next to each other. */
function* readTaken(dialect: Dialect, request: ClaimRequest): Operation<ClaimedJob[]> {
  const { tables, byLane } = dialect;
  const { queue, owner, number } = request;
  const rows = yield* select(
    sql`SELECT ${claimedColumns(dialect)} FROM ${tables.job} ${byLane}
        WHERE queue = ${queue} AND state = 'running' AND lane = ${owner} AND position = ${number}`,
  );
  return rows.map((row) => toClaimedJob(row, Number(row.attempt), request)).sort(byPriority);
}

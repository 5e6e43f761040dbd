import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { MOST_IDS } from '../base/chunks.js';
import { NO_JOBS, admitAll, admitClaim, recordClaimedJobs } from './admission.js';
import type { Claim, ClaimRequest } from './claim-strategy.js';
import { findExpiredInLanes } from './find-expired-ready.js';
import { lockAndMark } from './lock-and-mark.js';
import { RoundRobinOrder } from './round-robin-order.js';
import { capacityOfTenants } from './tenant-capacity.js';
import type { TenantLanes } from './tenant-lanes.js';
import { readTenantTokens, takeTenantTokens } from './tenant-rates.js';

/** After how long a claim stops continuing after locked jobs, in ms: without SKIP LOCKED it has waited for them. */
export const LONGEST_CLAIM = 1_000;

/**
 * Claims jobs of the tenants of a queue in turn: `RoundRobinOrder` reads the next jobs of the given lanes without
 * locks, then they are taken. Part of a transaction.
 *
 * In a queue with limits it locks the queue's row first, as every claim does, so its counts of running jobs are exact.
 *
 * It continues after jobs that are locked or taken. Without SKIP LOCKED it does so only while it has no jobs: two
 * claims that have locked jobs and continue in different orders could deadlock.
 *
 * If it meets an expired job, it reports the others in that lane too. Their tenant may have capacity for one job only.
 */
export function* claimRoundRobin(dialect: Dialect, request: ClaimRequest, known: TenantLanes): Operation<Claim> {
  const { queue, isLimited } = request;
  const admission = isLimited ? yield* admitClaim(dialect, queue, request.limit) : admitAll(request);
  const { admitted } = admission;
  if (admitted === 0) {
    return { ...admission, ...NO_JOBS };
  }
  const { tenantRate } = admission;
  const lanes = tenantRate ? firstOf(known, MOST_IDS) : known;
  const tokens = tenantRate ? yield* readTenantTokens(dialect, queue, tenantRate, lanesOf(lanes)) : undefined;
  const capacity = yield* capacityOfTenants(dialect, queue, admission.perTenant, tokens);
  const order = new RoundRobinOrder(queue, lanes, capacity);
  let lastLane: number | undefined;
  const jobs: ClaimedJob[] = [];
  const expired: Buffer[] = [];
  const expiredLanes = new Set<number>();
  const until = performance.now() + LONGEST_CLAIM;
  const mayContinue = () =>
    expired.length < MOST_IDS && (!dialect.lockedRows || (jobs.length === 0 && performance.now() < until));
  for (let count = 0; jobs.length < admitted && (count === 0 || mayContinue()); count++) {
    const wanted = admitted - jobs.length;
    // An open transaction may have locked thousands of jobs, so each step tries more of them.
    const chosen = yield* order.choose(dialect, Math.min(wanted * 2 ** count, MOST_IDS));
    if (chosen.length === 0) {
      break;
    }
    const taken = yield* lockAndMark(dialect, request, chosen, wanted);
    expired.push(...taken.expired);
    const late = new Set(taken.expired.map((id) => id.toString('hex')));
    const byId = new Map(taken.jobs.map((job) => [job.id.toString('hex'), job]));
    const missed = new Set<number>();
    for (const { id, lane, tenant } of chosen) {
      const job = byId.get(id.toString('hex'));
      if (job) {
        jobs.push(job);
        lastLane = lane;
      } else {
        capacity.release(tenant);
        missed.add(lane);
        if (late.has(id.toString('hex'))) {
          expiredLanes.add(lane);
        }
      }
    }
    order.continueLanes(missed);
  }
  if (isLimited && jobs.length > 0) {
    yield* recordClaimedJobs(dialect, queue, admission.rate, jobs.length);
    if (tenantRate) {
      yield* takeTenantTokens(dialect, queue, tenantRate, jobs);
    }
  }
  const withExpired = lanes.lanes.filter(({ lane }) => expiredLanes.has(lane));
  if (withExpired.length > 0 && expired.length < MOST_IDS) {
    const known = new Set(expired.map((id) => id.toString('hex')));
    const found = yield* findExpiredInLanes(dialect, queue, withExpired);
    expired.push(...found.filter((id) => !known.has(id.toString('hex'))));
  }
  // If all chosen jobs are locked, a claim at once would choose them again.
  const isExhausted = jobs.length === 0 || (order.isOver && lanes.areAll && jobs.length < admitted);
  // The last lane also without jobs: the next claim continues after the lanes at their limit.
  lastLane ??= lanes.lanes.at(-1)?.lane;
  const { visited, hasFull } = order;
  const limited = capacity.limitedLanes;
  return {
    ...admission,
    jobs,
    expired,
    roundRobin: { lastLane, visited, limited, isExhausted, isFull: isExhausted && hasFull },
  };
}

function firstOf({ lanes, areAll }: TenantLanes, count: number): TenantLanes {
  return { lanes: lanes.slice(0, count), areAll: areAll && lanes.length <= count };
}

/** Without the lane of the jobs without a tenant. */
function lanesOf({ lanes }: TenantLanes): number[] {
  return lanes.map(({ lane }) => lane).filter((lane) => lane !== 0);
}

import type { Dialect } from '../../engine/dialect.js';
import type { Operation, Row, StatementResult } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type ClaimedJob, claimedColumns, isExpired, toClaimedJob } from '../base/jobs/claimed-job.js';
import { MOST_IDS } from '../base/chunks.js';
import { lockFirstReady } from '../base/order/lane.js';
import { type SortKey, sortKeyAfter, sortKeyOf } from '../base/order/sort-key.js';
import { type LockedKey, freeKeysOfClaimed, lockKeysOf } from '../base/keys/unique-keys.js';
import { type LimitedAdmission, NO_JOBS, admitAll, admitClaim, recordClaimedJobs } from './admission.js';
import { LONGEST_CLAIM, claimRoundRobin } from './claim-round-robin.js';
import type { Claim, ClaimRequest, ClaimStrategy } from './claim-strategy.js';
import { findExpiredReady } from './find-expired-ready.js';
import { markInTime, markRunning } from './mark-running.js';

/**
 * MySQL from 8.0.1, MariaDB from 10.6: locks the first ready jobs, skipping locked ones, marks them as running, and
 * commits. For indexes and locks see `lockFirstReady`. If the process dies before the commit, nothing has happened;
 * after it the jobs are running jobs of a worker without a lease, and the reaper returns them.
 *
 * START TRANSACTION goes to the driver together with the SELECT, and COMMIT with the UPDATE, without a turn of the
 * event loop in between. If one fails, the claim is uncertain and its jobs are returned. Without its transaction the
 * SELECT locks nothing and the UPDATE is not sent; a COMMIT without its UPDATE commits nothing. If something was
 * written before the UPDATE, the COMMIT waits for the answer. See docs/decisions/0001.
 */
export const skipLocked: ClaimStrategy = {
  name: 'skip-locked',
  claim: (engine, request) => {
    const { tenantLanes } = request;
    const options = { purpose: 'claim jobs', repeatable: false };
    return tenantLanes === undefined
      ? engine.execute((dialect) => claimJobs(dialect, request), { ...options, atomic: 'by operation' })
      : engine.execute((dialect) => claimRoundRobin(dialect, request, tenantLanes), { ...options, atomic: true });
  },
};

const BEGIN = sql`START TRANSACTION`;
const COMMIT = sql`COMMIT`;

function* claimJobs(dialect: Dialect, request: ClaimRequest): Operation<Claim> {
  const { queue, isLimited } = request;
  const admission = isLimited ? yield* beginAndAdmit(dialect, request) : admitAll(request);
  if (admission.admitted === 0) {
    yield [COMMIT];
    return { ...admission, ...NO_JOBS };
  }
  const found = yield* lockReady(dialect, request, admission.admitted);
  const { keys } = found;
  const canExpire = found.jobs.some((job) => job.canExpire);
  const { jobs, expired } = canExpire ? yield* markInTime(dialect, request, found.jobs) : { ...NO_JOBS, ...found };
  const ids = jobs.map(({ id }) => id);
  const claimed = yield* freeKeysOfClaimed(dialect, jobs, keys);
  const marks = ids.length > 0 && !canExpire ? [markRunning(dialect, request, ids)] : [];
  if (isLimited || keys.length > 0) {
    for (const mark of marks) {
      yield [mark];
    }
    if (isLimited && ids.length > 0) {
      yield* recordClaimedJobs(dialect, queue, admission.rate, ids.length);
    }
    yield [COMMIT];
  } else {
    yield [...marks, COMMIT];
  }
  if (!found.metExpired && expired.length === 0) {
    return { ...admission, jobs: claimed, expired };
  }
  // Without a transaction, after the COMMIT.
  return { ...admission, jobs: claimed, expired: yield* findExpiredReady(dialect, queue, request.from) };
}

/**
 * Starts the transaction, unless it has started, and locks the first ready jobs with their unique keys. It skips jobs
 * whose key is locked: a transaction of the application must not block the jobs after them. If a step finds no free job
 * the next one is larger, because there may be thousands; extra locks are released at the commit. Once it has jobs, it
 * stops after `LONGEST_CLAIM`. It also stops at expired jobs if it has others, or has met `MOST_IDS`: there may be
 * thousands, and the claimer ends them first. It does not stop at fewer, because their unique keys may be locked.
 */
function* lockReady(
  dialect: Dialect,
  request: ClaimRequest,
  limit: number,
): Operation<{ jobs: ClaimedJob[]; keys: LockedKey[]; metExpired: boolean }> {
  const jobs: ClaimedJob[] = [];
  const keys: LockedKey[] = [];
  const until = performance.now() + LONGEST_CLAIM;
  let hasStarted = request.isLimited;
  let size = limit;
  let expired = 0;
  for (let from: SortKey | undefined = request.from; from;) {
    const lock = lockFirstReady(dialect, request.queue, from, size, claimedColumns(dialect));
    const results = yield hasStarted ? [lock] : [BEGIN, lock];
    hasStarted = true;
    const { rows } = results.at(-1) as StatementResult;
    const inTime = rows.filter((row) => !isExpired(row));
    expired += rows.length - inTime.length;
    const found = inTime.map((row) => toClaimedJob(row, Number(row.attempt) + 1, request));
    const held = yield* lockKeysOf(dialect, found);
    const free = found.filter((job) => !held.busy.has(job)).slice(0, limit - jobs.length);
    jobs.push(...free);
    keys.push(...held.keys);
    const last = rows.at(-1);
    const isLate = jobs.length > 0 && performance.now() > until;
    const stopsAtExpired = expired >= MOST_IDS || (expired > 0 && jobs.length > 0);
    const goesOn = jobs.length < limit && rows.length === size && !isLate && !stopsAtExpired;
    from = last && goesOn ? sortKeyAfter(sortKeyOfRow(last)) : undefined;
    size =
      free.length > 0 ? limit - jobs.length : Math.max(size, expired > 0 ? MOST_IDS : Math.min(size * 2, MOST_IDS));
  }
  return { jobs, keys, metExpired: expired > 0 };
}

/** The sort key of a ready job, from a row with `claimedColumns`. */
function sortKeyOfRow({ id, priority, run_at: runAt }: Row): SortKey {
  return sortKeyOf({ id: id as Buffer, priority: Number(priority), runAt: Number(runAt) });
}

function* beginAndAdmit(dialect: Dialect, { queue, limit }: ClaimRequest): Operation<LimitedAdmission> {
  yield [BEGIN];
  return yield* admitClaim(dialect, queue, limit);
}

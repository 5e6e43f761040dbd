import type { Dialect } from '../../engine/dialect.js';
import type { Operation, Statement, StatementResult } from '../../engine/operation.js';
import { CLAIMED_COLUMNS, type ClaimedJob, toClaimedJob } from '../base/claimed-job.js';
import { MOST_IDS } from '../base/chunks.js';
import { lockFirstReady } from '../base/lane.js';
import { type SortKey, sortKeyAfter, sortKeyOf } from '../base/sort-key.js';
import { type LockedKey, endQueued, lockKeysOf } from '../base/unique-keys.js';
import { type Admission, admit, charge, everything } from './admission.js';
import { LONGEST_CLAIM, claimRoundRobin } from './claim-round-robin.js';
import type { Claim, ClaimRequest, ClaimStrategy } from './claim-strategy.js';
import { markRunning } from './mark-running.js';

/**
 * MySQL from 8.0.1, MariaDB from 10.6: locks the first ready jobs that nobody else has locked, marks them as this
 * owner's, and commits. `lockFirstReady` says everything about indexes and locks. If the process dies before the commit
 * nothing has happened; after it the jobs are running jobs of a worker without a lease, and the reaper frees them.
 *
 * START TRANSACTION is handed to the driver together with the SELECT, and COMMIT with the UPDATE: it sends them without
 * this process taking a turn in between, which took the time from enqueue to start from 2.2 to 1.7 ms (MariaDB 10.11,
 * 2026-11-20). Where one of them fails the claim is in doubt and taken back, whatever the others did: without its
 * transaction the SELECT locks nothing and the UPDATE is not sent, and a COMMIT without its UPDATE commits nothing. Where
 * something was written before the UPDATE, the COMMIT waits for its answer.
 */
export const skipLocked: ClaimStrategy = {
  name: 'skip-locked',
  claim: (engine, request) => {
    const { turns } = request;
    const options = { purpose: 'claim jobs', repeatable: false };
    return turns === undefined
      ? engine.execute((dialect) => claimJobs(dialect, request), { ...options, atomic: 'by itself' })
      : engine.execute((dialect) => claimRoundRobin(dialect, request, turns), { ...options, atomic: true });
  },
};

const BEGIN: Statement = { sql: 'START TRANSACTION', parameters: [] };
const COMMIT: Statement = { sql: 'COMMIT', parameters: [] };

function* claimJobs(dialect: Dialect, request: ClaimRequest): Operation<Claim> {
  const { queue, isLimited } = request;
  const admission = isLimited ? yield* beginAndAdmit(dialect, request) : everything(request);
  if (admission.admitted === 0) {
    yield [COMMIT];
    return { ...admission, jobs: [] };
  }
  const { jobs, keys } = yield* lockReady(dialect, request, admission.admitted);
  const ids = jobs.map(({ id }) => id);
  if (isLimited && ids.length > 0) {
    yield* charge(dialect, queue, ids.length);
  }
  const begun = yield* endQueued(dialect, jobs, keys);
  const last = ids.length > 0 ? [markRunning(dialect, request, ids), COMMIT] : [COMMIT];
  const mayHaveWritten = isLimited || keys.length > 0;
  for (const step of mayHaveWritten ? last.map((each) => [each]) : [last]) {
    yield step;
  }
  return { ...admission, jobs: begun };
}

/**
 * Begins the transaction, unless it has begun, and locks the first ready jobs with their unique keys. Behind jobs whose
 * key is locked it goes on: a transaction of the application's must not keep the jobs behind them from being claimed. Behind
 * a step that has brought none the next one is larger, as there may be ten thousands of them; what that locks too much is
 * free again at the commit. With some jobs in hand it does not go on for ever.
 */
function* lockReady(
  dialect: Dialect,
  request: ClaimRequest,
  limit: number,
): Operation<{ jobs: ClaimedJob[]; keys: LockedKey[] }> {
  const jobs: ClaimedJob[] = [];
  const keys: LockedKey[] = [];
  const until = performance.now() + LONGEST_CLAIM;
  let hasBegun = request.isLimited;
  let size = limit;
  for (let from: SortKey | undefined = request.from; from;) {
    const lock = lockFirstReady(dialect, request.queue, from, size, CLAIMED_COLUMNS);
    const results = yield hasBegun ? [lock] : [BEGIN, lock];
    hasBegun = true;
    const found = (results.at(-1) as StatementResult).rows.map((row) => {
      return toClaimedJob(row, Number(row.attempt) + 1, request);
    });
    const held = yield* lockKeysOf(dialect, found);
    const free = found.filter((job) => !held.busy.has(job)).slice(0, limit - jobs.length);
    jobs.push(...free);
    keys.push(...held.keys);
    const last = found.at(-1);
    const isLate = jobs.length > 0 && performance.now() > until;
    from = last && jobs.length < limit && found.length === size && !isLate ? sortKeyAfter(sortKeyOf(last)) : undefined;
    size = free.length > 0 ? limit - jobs.length : Math.max(size, Math.min(size * 2, MOST_IDS));
  }
  return { jobs, keys };
}

function* beginAndAdmit(dialect: Dialect, { queue, limit }: ClaimRequest): Operation<Admission> {
  yield [BEGIN];
  return yield* admit(dialect, queue, limit);
}

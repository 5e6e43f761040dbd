import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type ClaimedJob, CLAIMED_COLUMNS, byTurn, toClaimedJob } from '../claimed-job.js';
import { inKeyOrder } from '../fence.js';
import { firstReady } from '../lane.js';
import { type Place } from '../place.js';
import { releaseJobs } from '../release-jobs.js';
import type { WaitingJob } from '../tenant-lanes.js';
import { endQueued, lockKeysOf } from '../unique-keys.js';
import { admit, chargeRate, everything } from './admission.js';
import { claimByTurns } from './by-turns.js';
import type { Claim, ClaimRequest, ClaimStrategy } from './claim-strategy.js';
import { markRunning } from './mark-running.js';

/**
 * Update, then select: looks for ready jobs without locks, takes those that are still ready with one UPDATE by primary
 * key, and reads what it has taken by its owner. For servers where SKIP LOCKED is missing, ignored, or says nothing
 * about the other nodes: Galera with several writers.
 *
 * Two workers that look at the same jobs wait for one another for the length of one UPDATE, and the second then finds
 * them taken: it goes on behind them. So under contention it costs more than SKIP LOCKED, but nothing waits for an
 * enqueue that is not committed: it is not seen. A transaction that has cancelled or replaced a waiting job is waited for. If the process dies before the commit
 * nothing has happened; if an answer is lost, `takeBack` finds the jobs by their claim.
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

/** How often it goes on behind jobs that others have taken. */
const TRIES = 4;

/** Part of a transaction. */
export function* claimJobs(dialect: Dialect, request: ClaimRequest): Operation<Claim> {
  if (request.turns) {
    // Once: two claims that go on in different orders would wait for one another in a circle.
    return yield* claimByTurns(dialect, request, request.turns, takeFound, 1);
  }
  const admission = request.isLimited ? yield* admit(dialect, request.queue, request.limit) : everything(request);
  const jobs = yield* takeFirst(dialect, request, admission.admitted);
  if (request.isLimited && jobs.length > 0) {
    yield* chargeRate(dialect, request.queue, jobs.length);
  }
  return { ...admission, jobs };
}

function* takeFirst(dialect: Dialect, request: ClaimRequest, limit: number): Operation<readonly ClaimedJob[]> {
  let taken = 0;
  let from: Place = request.from;
  for (let attempt = 1; attempt <= TRIES && taken < limit; attempt++) {
    const wanted = limit - taken;
    const { sql, parameters } = firstReady(dialect, request.queue, from, wanted, 'id, position');
    const found = yield* select<{ id: Buffer; position: number | string }>(sql, parameters);
    const last = found.at(-1);
    if (last) {
      const [result] = yield [
        markRunning(
          dialect,
          request,
          inKeyOrder(found).map(({ id }) => id),
        ),
      ];
      taken += result?.affected ?? 0;
      from = { position: Number(last.position), id: last.id };
    }
    if (found.length < wanted) {
      break;
    }
  }
  return taken > 0 ? yield* withKeys(dialect, yield* readTaken(dialect, request)) : [];
}

/** Takes those of some waiting jobs that are still ready; one that has been given to another tenant goes back. */
function* takeFound(
  dialect: Dialect,
  request: ClaimRequest,
  waiting: readonly WaitingJob[],
): Operation<readonly ClaimedJob[]> {
  const { sql, parameters } = markRunning(
    dialect,
    request,
    inKeyOrder(waiting).map(({ id }) => id),
  );
  yield* change(sql, parameters);
  const taken = yield* withKeys(dialect, yield* readTaken(dialect, request));
  const others = taken.filter((job) => !waiting.some(({ id, tenant }) => tenant === job.tenant && id.equals(job.id)));
  if (others.length > 0) {
    yield* releaseJobs(dialect, others);
  }
  return taken.filter((job) => !others.includes(job));
}

/** Jobs whose unique key somebody else has locked go back: they must not be begun before that is over. */
function* withKeys(dialect: Dialect, taken: readonly ClaimedJob[]): Operation<readonly ClaimedJob[]> {
  const { keys, busy } = yield* lockKeysOf(dialect, taken);
  if (busy.size > 0) {
    yield* releaseJobs(
      dialect,
      taken.filter((job) => busy.has(job)),
    );
  }
  return yield* endQueued(
    dialect,
    taken.filter((job) => !busy.has(job)),
    keys,
  );
}

/** Index: the lane of this owner's running jobs, in which those of this claim stand side by side. */
function* readTaken({ tables, byLane }: Dialect, request: ClaimRequest): Operation<ClaimedJob[]> {
  const { queue, owner, number } = request;
  const rows = yield* select(
    `SELECT ${CLAIMED_COLUMNS} FROM ${tables.job} ${byLane}
     WHERE queue = ? AND state = 'running' AND owner = ? AND position = ?`,
    [queue, owner, number],
  );
  return rows.map((row) => toClaimedJob(row, Number(row.attempt), request)).sort(byTurn);
}

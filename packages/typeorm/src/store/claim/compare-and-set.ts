import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type ClaimedJob, CLAIMED_COLUMNS, byTurn, toClaimedJob } from '../base/claimed-job.js';
import { inKeyOrder } from '../base/fence.js';
import { firstReady, lockFreeJobs } from '../base/lane.js';
import { type SortKey, sortKeyAfter } from '../base/sort-key.js';
import { type Holder, type LockedKey, endQueued, lockKeysOf } from '../base/unique-keys.js';
import { claimAdmitted } from './admission.js';
import { LONGEST_CLAIM, claimRoundRobin } from './claim-round-robin.js';
import type { Claim, ClaimRequest, ClaimStrategy } from './claim-strategy.js';
import { markRunning } from './mark-running.js';

/**
 * Update, then select: looks for ready jobs without locks, takes those that are still ready with one UPDATE by primary
 * key, and reads what it has taken by its owner. For servers where SKIP LOCKED is missing, ignored, or says nothing
 * about the other nodes: Galera with several writers.
 *
 * Two workers look at the same jobs, and the second finds them taken: it goes on behind them. So under contention it
 * costs more than SKIP LOCKED, but nothing waits for an enqueue that is not committed: it is not seen. Jobs that a
 * transaction of the application's has cancelled or replaced, or whose unique key it has locked, are passed over, as
 * `lockFree` says: where SKIP LOCKED is missing, after a wait. If the process dies before the commit nothing has
 * happened; if an answer is lost, `takeBack` finds the jobs by their claim.
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
  if (request.turns) {
    return claimRoundRobin(dialect, request, request.turns);
  }
  return claimAdmitted(dialect, request, (limit) => takeFirst(dialect, request, limit));
}

/**
 * Goes on behind jobs that others hold or have taken. Unique keys are locked before their jobs, in the order of an enqueue:
 * where SKIP LOCKED is missing, nobody waits in a circle.
 */
function* takeFirst(dialect: Dialect, request: ClaimRequest, limit: number): Operation<readonly ClaimedJob[]> {
  const keys: LockedKey[] = [];
  const until = performance.now() + LONGEST_CLAIM;
  let taken = 0;
  for (let from: SortKey | undefined = request.from; from && taken < limit;) {
    const wanted = limit - taken;
    const found: readonly SeenJob[] = yield* look(dialect, request.queue, from, wanted);
    const held = yield* lockKeysOf(dialect, found);
    const free = inKeyOrder(found.filter((job) => !held.busy.has(job))).map(({ id }) => id);
    // An enqueue may have replaced one since it was seen: by a job of a tenant, or in another queue.
    const ids = yield* lockFreeJobs(dialect, free, {
      sql: "queue = ? AND state = 'ready' AND owner = 0",
      parameters: [request.queue],
    });
    if (ids.length > 0) {
      const { sql, parameters } = markRunning(dialect, request, ids);
      taken += yield* change(sql, parameters);
      keys.push(...held.keys);
    }
    const last = found.at(-1);
    const goesOn = found.length === wanted && performance.now() < until;
    from = last && goesOn ? sortKeyAfter(last) : undefined;
  }
  if (taken === 0) {
    return [];
  }
  return yield* endQueued(dialect, yield* readTaken(dialect, request), keys);
}

/** A ready job that was seen: somebody may have changed it since. */
interface SeenJob extends Holder, SortKey {}

function* look(dialect: Dialect, queue: string, from: SortKey, limit: number): Operation<SeenJob[]> {
  const { sql, parameters } = firstReady(dialect, queue, from, limit, 'id, position, name, unique_key');
  const rows = yield* select(sql, parameters);
  return rows.map((row) => ({
    id: row.id as Buffer,
    position: Number(row.position),
    name: row.name as string,
    uniqueKey: row.unique_key as string | null,
  }));
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

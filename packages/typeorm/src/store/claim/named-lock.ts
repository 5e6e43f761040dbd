import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { NO_JOBS } from './admission.js';
import type { Claim, ClaimRequest, ClaimStrategy } from './claim-strategy.js';
import { claimJobs } from './compare-and-set.js';

/** How long a claim waits for the lock, in seconds. */
const WAIT = 1;
/** After how long a claim that did not get the lock is tried again, in ms. */
const RETRY = 50;

/**
 * One claim of a queue at a time over all workers: `GET_LOCK` around update-then-select. Jobs are claimed in strict
 * order over all workers. For applications that need that order, and for servers without SKIP LOCKED. It has no effect
 * where each node has locks of its own: Galera, and Group Replication with several primaries.
 *
 * The lock belongs to the connection and is released after the claim. If the process dies, or the claim fails, the
 * connection closes and with it the lock is released.
 */
export const namedLock: ClaimStrategy = {
  name: 'named-lock',
  claim: (engine, request) =>
    engine.execute((dialect) => claimAlone(dialect, request), {
      purpose: 'claim jobs',
      atomic: 'by operation',
      repeatable: false,
    }),
};

function* claimAlone(dialect: Dialect, request: ClaimRequest): Operation<Claim> {
  const name = dialect.lockName(dialect.tables.job.sql, request.queue);
  const [lock] = yield* select<{ taken: number | string | null }>(sql`SELECT GET_LOCK(${name}, ${WAIT}) AS taken`);
  if (Number(lock?.taken) !== 1) {
    return { admitted: 0, retryIn: RETRY, ...NO_JOBS };
  }
  yield [sql`START TRANSACTION`];
  const claim = yield* claimJobs(dialect, request);
  // Before the lock is released: the next claim must see which jobs this one has taken.
  yield [sql`COMMIT`];
  yield* select(sql`SELECT RELEASE_LOCK(${name}) AS released`);
  return claim;
}

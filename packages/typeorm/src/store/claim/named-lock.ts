import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import type { Claim, ClaimRequest, ClaimStrategy } from './claim-strategy.js';
import { claimJobs } from './compare-and-set.js';

/** How long a claim waits for the one before it, in seconds. */
const WAIT = 1;
/** When a claim that has waited in vain is tried again, in ms. */
const RETRY = 50;

/**
 * One claim of a queue at a time, over all workers: `GET_LOCK` around update-then-select. Jobs are claimed in strict
 * order, whoever claims, and no two workers look at the same ones. For those who need that order, and for servers without
 * SKIP LOCKED. It means nothing where a lock of one node is none of another: Galera, Group Replication with several
 * primaries.
 *
 * The lock belongs to the connection. It is released after the claim; a process that dies, or a claim that fails, loses
 * its connection and with it the lock.
 */
export const namedLock: ClaimStrategy = {
  name: 'named-lock',
  claim: (engine, request) =>
    engine.execute((dialect) => claimAlone(dialect, request), {
      purpose: 'claim jobs',
      atomic: 'by itself',
      repeatable: false,
    }),
};

function* claimAlone(dialect: Dialect, request: ClaimRequest): Operation<Claim> {
  const { lockName, tables } = dialect;
  const name = [tables.job.sql, request.queue];
  const [lock] = yield* select<{ taken: number | string | null }>(
    `SELECT GET_LOCK(${lockName}, ${WAIT}) AS taken`,
    name,
  );
  if (Number(lock?.taken) !== 1) {
    return { admitted: 0, retryIn: RETRY, jobs: [] };
  }
  yield [{ sql: 'START TRANSACTION', parameters: [] }];
  const claim = yield* claimJobs(dialect, request);
  // Before the lock is released: the next claim must see what this one has taken.
  yield [{ sql: 'COMMIT', parameters: [] }];
  yield* select(`SELECT RELEASE_LOCK(${lockName}) AS released`, name);
  return claim;
}

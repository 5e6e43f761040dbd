import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../../engine/operation.js';
import { CLAIMED_COLUMNS, toClaimedJob } from '../base/claimed-job.js';
import { completeGroupMembers, groupsOf } from '../base/complete-group-members.js';
import { inKeyOrder } from '../base/fence.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { type LockingSelect, lockAll, lockSkippingLocked } from '../base/lock-skipping-locked.js';
import { lockKeysOf, releaseKeys } from '../base/unique-keys.js';
import { writeHistory } from '../complete/write-history.js';

/** What cancelling did. */
export interface Cancelled {
  /** Jobs that waited and are now in the history. */
  readonly cancelled: readonly Buffer[];
  /** Jobs that run; their workers have been asked to end them. */
  readonly requested: readonly Buffer[];
  /** The groups that those cancelled were members of. After the commit somebody has to look at them. */
  readonly groups: readonly Buffer[];
}

/** A job that was cancelled. */
export interface CancelledJob {
  readonly id: Buffer;
  readonly groupId: Buffer | null;
}

/**
 * waiting, scheduled or ready → cancelled: out of the live table and into the history, in the caller's transaction or in one of
 * its own. For a running job a request is left, which its worker sees with its next look: see `store/signals.ts`. Its
 * row is not locked, or a long transaction of the caller's would keep the worker from writing down what came of it.
 *
 * Index: the primary key, also where the jobs were looked up by key before: a locking read along a key would, at
 * REPEATABLE READ, lock the gaps around it and every enqueue that falls into them. Looking up a row that is gone locks
 * a gap too, so a plain read comes first and only what it has found is locked. In a long transaction at REPEATABLE READ
 * that read is of the past: a job that has ended since then still costs a gap, until the transaction ends.
 *
 * A waiting job whose unique key an open transaction has locked is treated as one that runs: see `unique-keys.ts`.
 *
 * Does nothing the second time. A request for a job that ends meanwhile by itself is removed by the reaper, and one for
 * a job that is to be tried again is carried out by it.
 *
 * @param name cancels only jobs of this name; null cancels all.
 */
export function* cancelJobs(dialect: Dialect, ids: readonly Buffer[], name: string | null): Operation<Cancelled> {
  const cancelled: CancelledJob[] = [];
  const requested: Buffer[] = [];
  for (const part of chunksOf(ids, MOST_IDS)) {
    const found = yield* findLive(dialect, part, name);
    const waiting = found.filter(({ state }) => state !== 'running').map(({ id }) => id);
    const ended = yield* cancelWaiting(dialect, waiting);
    const gone = new Set(ended.map(({ id }) => id.toString('hex')));
    const left = found.map(({ id }) => id).filter((id) => !gone.has(id.toString('hex')));
    yield* requestEnd(dialect, left);
    cancelled.push(...ended);
    requested.push(...left);
  }
  return { cancelled: cancelled.map(({ id }) => id), requested, groups: groupsOf(cancelled) };
}

/** In the order of their ids. */
function* findLive(
  dialect: Dialect,
  ids: readonly Buffer[],
  name: string | null,
): Operation<{ id: Buffer; state: string }[]> {
  const found = yield* select<{ id: Buffer; state: string }>(
    `SELECT id, state FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
     WHERE id IN (${placeholders(ids)})${name === null ? '' : ' AND name = ?'}`,
    name === null ? ids : [...ids, name],
  );
  return inKeyOrder(found);
}

/**
 * @param passesOver leaves jobs alone that somebody else has locked, instead of waiting for them.
 * @returns those that were cancelled: a worker may have claimed some since they were found.
 */
export function* cancelWaiting(
  dialect: Dialect,
  ids: readonly Buffer[],
  passesOver = false,
): Operation<readonly CancelledJob[]> {
  const { job } = dialect.tables;
  const select: LockingSelect<Buffer> = (some, locking) => ({
    sql: `SELECT ${CLAIMED_COLUMNS}, queue, last_error, progress, claimed_at FROM ${job} ${dialect.byPrimaryKey}
          WHERE id IN (${placeholders(some)}) AND state <> 'running' ${locking}`,
    parameters: some,
  });
  const rows = passesOver
    ? yield* lockSkippingLocked(dialect, ids, (id) => id.toString('hex'), select)
    : yield* lockAll(ids, select, dialect.forUpdate);
  if (rows.length === 0) {
    return [];
  }
  const found = rows.map((row) => ({
    ...toClaimedJob(row, Number(row.attempt), { queue: row.queue as string, owner: 0 }),
    state: 'cancelled' as const,
    result: null,
    error: row.last_error as string | null,
    progress: row.progress as string | null,
    claimedAt: Number(row.claimed_at) || null,
  }));
  const { keys, busy } = yield* lockKeysOf(dialect, found);
  const entries = found.filter((entry) => !busy.has(entry));
  if (entries.length === 0) {
    return [];
  }
  const cancelled = entries.map(({ id }) => id);
  yield* writeHistory(dialect, entries);
  yield* change(
    `${dialect.deleteFrom(job)} WHERE id IN (${placeholders(cancelled)}) AND state <> 'running'`,
    cancelled,
  );
  yield* completeGroupMembers(
    dialect,
    entries.map(({ id, groupId, state }) => ({ id, groupId, outcome: state })),
  );
  yield* releaseKeys(dialect, keys);
  return entries;
}

function* requestEnd({ tables, insertIgnore, now }: Dialect, ids: readonly Buffer[]): Operation<void> {
  if (ids.length > 0) {
    yield* change(
      `${insertIgnore} ${tables.cancellation} (job_id, requested_at) VALUES ${ids.map(() => `(?, ${now})`).join(', ')}`,
      ids,
    );
  }
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../../engine/operation.js';
import { cancelWaiting } from '../actions/cancel-jobs.js';
import { groupsOf } from '../base/complete-group-members.js';
import { inKeyOrder } from '../base/fence.js';
import { type GroupState, findGroupStates, isGroupDue } from './find-due-groups.js';
import type { Callbacks } from './insert-groups.js';
import { MOST_IDS } from '../base/chunks.js';
import { lockSkippingLocked } from '../base/lock-skipping-locked.js';
import { readyPosition } from '../base/sort-key.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../base/queued-job.js';

/** How many groups are released together: their callbacks, up to three each, are one list of ids. */
export const GROUPS_PER_STATEMENT = Math.floor(MOST_IDS / 3);

/** What a release did. */
export interface TriggeredCallbacks {
  /** The callbacks that may be claimed now. */
  readonly ready: readonly QueuedJob[];
  /** The groups that cancelled callbacks are members of: they may be due now. */
  readonly groups: readonly Buffer[];
  /** Those that were not released because somebody else does so just now, or has done. */
  readonly skipped: readonly Buffer[];
}

/** What is to become of the callbacks of a group. */
interface Plan {
  readonly state: GroupState;
  readonly ready: readonly Buffer[];
  readonly cancelled: readonly Buffer[];
}

interface GroupRow {
  readonly id: Buffer;
  readonly on_success: Buffer | null;
  readonly on_failure: Buffer | null;
  readonly on_complete: Buffer | null;
}

/**
 * Releases the callbacks of groups that are due: waiting → ready for those whose time has come, waiting → cancelled for
 * those whose time will never come. Part of a transaction of its own.
 *
 * The groups' rows are locked first, by primary key. Nobody but releases locks them, and the transactions that create
 * them, whose groups nobody knows yet. Then the members are read: whoever has ended one before the lock is seen. A group
 * that is locked is passed over: its release may have begun too early to see a member that has ended since, so whoever
 * was passed over looks again. Callbacks are locked by primary key and passed over too: an application's transaction
 * may be cancelling one. Such a group stays as it is and is found again by the reaper. So a release waits for nobody, where
 * `Dialect.passesOver` says so.
 *
 * Does nothing the second time: a callback that does not wait any more is left alone. If the process dies before the
 * commit nothing has happened, and the reaper finds the groups.
 *
 * @param ids at most `GROUPS_PER_RELEASE`.
 */
export function* triggerCallbacks(dialect: Dialect, ids: readonly Buffer[]): Operation<TriggeredCallbacks> {
  const callbacks = yield* lockGroups(dialect, ids);
  const locked = ids.filter((id) => callbacks.has(id.toString('hex')));
  const states = locked.length === 0 ? [] : yield* findGroupStates(dialect, locked);
  const plans = states.filter(isGroupDue).map((state) => planFor(state, callbacks.get(state.id.toString('hex'))!));
  const waiting = yield* findWaiting(
    dialect,
    plans.flatMap(({ ready, cancelled }) => [...ready, ...cancelled]),
  );
  const stillWaiting = (callback: Buffer) => waiting.has(callback.toString('hex'));
  const ready = yield* makeReady(dialect, plans.flatMap((plan) => plan.ready).filter(stillWaiting));
  const cancelled = yield* cancelWaiting(
    dialect,
    inKeyOrder(plans.flatMap((plan) => plan.cancelled.filter(stillWaiting)).map((id) => ({ id }))).map(({ id }) => id),
    true,
  );
  for (const { id } of [...ready, ...cancelled]) {
    waiting.delete(id.toString('hex'));
  }
  yield* noteReleased(
    dialect,
    plans.filter((plan) => ![...plan.ready, ...plan.cancelled].some(stillWaiting)).map(({ state }) => state),
  );
  const skipped = ids.filter((id) => !callbacks.has(id.toString('hex')));
  return { ready, groups: groupsOf(cancelled), skipped };
}

/** The callbacks of each group, by its id in hex. */
function* lockGroups(dialect: Dialect, ids: readonly Buffer[]): Operation<Map<string, Callbacks<Buffer>>> {
  const rows = yield* lockSkippingLocked<Buffer, GroupRow>(
    dialect,
    ids,
    (id) => `group ${id.toString('hex')}`,
    (some, locking) => ({
      sql: `SELECT id, on_success, on_failure, on_complete FROM ${dialect.tables.group} ${dialect.byPrimaryKey}
            WHERE id IN (${placeholders(some)}) AND finished_at IS NULL ${locking}`,
      parameters: some,
    }),
  );
  return new Map(
    rows.map((row) => [
      row.id.toString('hex'),
      { onSuccess: row.on_success, onFailure: row.on_failure, onComplete: row.on_complete },
    ]),
  );
}

function planFor(state: GroupState, { onSuccess, onFailure, onComplete }: Callbacks<Buffer>): Plan {
  const { hasOpen, hasFailure } = state;
  const ready = [hasFailure ? onFailure : onSuccess, hasOpen ? null : onComplete];
  const cancelled = [hasFailure ? onSuccess : onFailure];
  return { state, ready: ready.filter((id) => id !== null), cancelled: cancelled.filter((id) => id !== null) };
}

/** Those of some jobs that wait for a group, in hex. */
function* findWaiting({ tables }: Dialect, ids: readonly Buffer[]): Operation<Set<string>> {
  if (ids.length === 0) {
    return new Set();
  }
  const rows = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${tables.job} WHERE id IN (${placeholders(ids)}) AND state = 'waiting'`,
    ids,
  );
  return new Set(rows.map(({ id }) => id.toString('hex')));
}

function* makeReady(dialect: Dialect, ids: readonly Buffer[]): Operation<QueuedJob[]> {
  const { tables, byPrimaryKey, now } = dialect;
  const rows = yield* lockSkippingLocked<Buffer, QueuedRow>(
    dialect,
    ids,
    (id) => id.toString('hex'),
    (some, locking) => ({
      sql: `SELECT id, queue, priority, tenant FROM ${tables.job} ${byPrimaryKey}
            WHERE id IN (${placeholders(some)}) AND state = 'waiting' ${locking}`,
      parameters: some,
    }),
  );
  const locked = rows.map(({ id }) => id);
  if (locked.length > 0) {
    yield* change(
      `UPDATE ${tables.job} ${byPrimaryKey}
       SET state = 'ready', owner = lane, position = ${readyPosition('priority', now)}, run_at = ${now}
       WHERE id IN (${placeholders(locked)}) AND state = 'waiting'`,
      locked,
    );
  }
  return rows.map(toQueuedJob);
}

/** Notes what has been acted upon, for groups none of whose callbacks was skipped. */
function* noteReleased(dialect: Dialect, states: readonly GroupState[]): Operation<void> {
  const note = function* (column: string, of: readonly GroupState[]): Operation<void> {
    if (of.length > 0) {
      yield* change(
        `UPDATE ${dialect.tables.group} ${dialect.byPrimaryKey} SET ${column} = ${dialect.now}
         WHERE id IN (${placeholders(of)})`,
        of.map(({ id }) => id),
      );
    }
  };
  const unknown = states.filter(({ hasFailure, isFailureKnown }) => hasFailure && !isFailureKnown);
  yield* note('failed_at', unknown);
  yield* note(
    'finished_at',
    states.filter(({ hasOpen }) => !hasOpen),
  );
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { endQueued } from '../base/jobs/end-queued.js';
import { MOST_IDS } from '../base/chunks.js';
import { groupsOf } from '../base/jobs/complete-group-members.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../base/jobs/queued-job.js';
import { intoReadyLaneNow } from '../base/order/lane.js';
import { type GroupState, findGroupStates, findIncompleteGroups, isGroupDue } from './find-due-groups.js';
import type { Callbacks } from '../base/jobs/insert-groups.js';

/** How many groups one call takes: the ids of their callbacks, up to three each, fit into one list. */
export const GROUPS_PER_STATEMENT = Math.floor(MOST_IDS / 3);

/** What triggering did. */
export interface TriggeredCallbacks {
  /** The callbacks that are ready now. */
  readonly ready: readonly QueuedJob[];
  /** The groups that contain cancelled callbacks as members: they may be due now. */
  readonly groups: readonly Buffer[];
  /** The groups that another transaction is triggering, or has finished. */
  readonly skipped: readonly Buffer[];
}

/** What to do with the callbacks of a group. */
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
 * Triggers the callbacks of due groups: waiting → ready for those whose condition is met, waiting → cancelled for those
 * whose condition cannot be met any more. Runs in a transaction of its own.
 *
 * Index and locks: the primary keys. The groups' rows are locked first; only this operation and the transactions that
 * create groups lock them. Then the members are read, so every member that finished before the lock is seen. A locked
 * group is skipped: its transaction may have started before a member finished, so the caller checks skipped groups
 * again. Locked callbacks are skipped too, because a transaction of the application may be cancelling one. The reaper
 * finds such a group again. So this waits for no other transaction, where `Dialect.canSkipLocked`.
 *
 * A second run changes nothing: callbacks that are no longer waiting are left alone. If the process dies before the
 * commit, nothing has happened, and the reaper finds the groups.
 *
 * @param ids at most `GROUPS_PER_STATEMENT`.
 */
export function* triggerCallbacks(dialect: Dialect, ids: readonly Buffer[]): Operation<TriggeredCallbacks> {
  const callbacks = yield* lockGroups(dialect, ids);
  const locked = ids.filter((id) => callbacks.has(id.toString('hex')));
  const found = locked.length === 0 ? [] : yield* findGroupStates(dialect, locked);
  const states = yield* keepIncompleteOpen(dialect, found, callbacks);
  const plans = states.filter(isGroupDue).map((state) => planFor(state, callbacks.get(state.id.toString('hex'))!));
  const waiting = yield* findWaiting(
    dialect,
    plans.flatMap(({ ready, cancelled }) => [...ready, ...cancelled]),
  );
  const stillWaiting = (callback: Buffer) => waiting.has(callback.toString('hex'));
  const ready = yield* makeReady(dialect, plans.flatMap((plan) => plan.ready).filter(stillWaiting));
  const cancelled = yield* endQueued(
    dialect,
    inKeyOrder(plans.flatMap((plan) => plan.cancelled.filter(stillWaiting)).map((id) => ({ id }))).map(({ id }) => id),
    'cancelled',
    true,
  );
  for (const { id } of [...ready, ...cancelled]) {
    waiting.delete(id.toString('hex'));
  }
  yield* recordTriggered(
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
    (some, locking) =>
      sql`SELECT id, on_success, on_failure, on_complete FROM ${dialect.tables.group} ${dialect.byPrimaryKey}
          WHERE id IN (${sql.list(some)}) AND finished_at IS NULL ${locking}`,
  );
  return new Map(
    rows.map((row) => [
      row.id.toString('hex'),
      { onSuccess: row.on_success, onFailure: row.on_failure, onComplete: row.on_complete },
    ]),
  );
}

/**
 * A group that has lost rows of members counts as open: whether all members have ended is unknown. It counts as
 * finished when none of its callbacks waits, because people have cancelled them. See docs/decisions/0113.
 */
function* keepIncompleteOpen(
  dialect: Dialect,
  states: readonly GroupState[],
  callbacks: ReadonlyMap<string, Callbacks<Buffer>>,
): Operation<readonly GroupState[]> {
  const incomplete = yield* findIncompleteGroups(dialect, states);
  if (incomplete.size === 0) {
    return states;
  }
  const callbacksOf = (group: string) => Object.values(callbacks.get(group) ?? {}).filter((id) => id !== null);
  const waiting = yield* findWaiting(dialect, [...incomplete].flatMap(callbacksOf));
  return states.map((state) => {
    const group = state.id.toString('hex');
    const isKept = incomplete.has(group) && callbacksOf(group).some((id) => waiting.has(id.toString('hex')));
    return isKept ? { ...state, hasOpen: true } : state;
  });
}

function planFor(state: GroupState, { onSuccess, onFailure, onComplete }: Callbacks<Buffer>): Plan {
  const { hasOpen, hasFailure } = state;
  const ready = [hasFailure ? onFailure : onSuccess, hasOpen ? null : onComplete];
  const cancelled = [hasFailure ? onSuccess : onFailure];
  return { state, ready: ready.filter((id) => id !== null), cancelled: cancelled.filter((id) => id !== null) };
}

/**
 * A condition: the callback waits for its group. One that has started waits for a signal or for its children: it was
 * triggered before, or retried by hand. Callbacks have no order.
 */
const IS_AWAITING_GROUP = sql`state = 'waiting' AND attempt = 0`;

/** The ids, in hex, of those jobs that wait for a group. */
function* findWaiting({ tables }: Dialect, ids: readonly Buffer[]): Operation<Set<string>> {
  if (ids.length === 0) {
    return new Set();
  }
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${tables.job} WHERE id IN (${sql.list(ids)}) AND ${IS_AWAITING_GROUP}`,
  );
  return new Set(rows.map(({ id }) => id.toString('hex')));
}

function* makeReady(dialect: Dialect, ids: readonly Buffer[]): Operation<QueuedJob[]> {
  const { tables, byPrimaryKey } = dialect;
  const rows = yield* lockSkippingLocked<Buffer, QueuedRow>(
    dialect,
    ids,
    (id) => id.toString('hex'),
    (some, locking) =>
      sql`SELECT id, queue, priority, tenant FROM ${tables.job} ${byPrimaryKey}
          WHERE id IN (${sql.list(some)}) AND ${IS_AWAITING_GROUP} ${locking}`,
  );
  const locked = rows.map(({ id }) => id);
  if (locked.length > 0) {
    yield* change(
      sql`UPDATE ${tables.job} ${byPrimaryKey}
          SET ${intoReadyLaneNow(dialect)}
          WHERE id IN (${sql.list(locked)}) AND ${IS_AWAITING_GROUP}`,
    );
  }
  return rows.map(toQueuedJob);
}

/** Records which callbacks were triggered, for groups without skipped callbacks. */
function* recordTriggered({ tables, byPrimaryKey, now }: Dialect, states: readonly GroupState[]): Operation<void> {
  const failed = states.filter(({ hasFailure, isFailureKnown }) => hasFailure && !isFailureKnown).map(({ id }) => id);
  if (failed.length > 0) {
    yield* change(sql`UPDATE ${tables.group} ${byPrimaryKey} SET failed_at = ${now} WHERE id IN (${sql.list(failed)})`);
  }
  const finished = states.filter(({ hasOpen }) => !hasOpen).map(({ id }) => id);
  if (finished.length > 0) {
    yield* change(
      sql`UPDATE ${tables.group} ${byPrimaryKey} SET finished_at = ${now} WHERE id IN (${sql.list(finished)})`,
    );
  }
}

import type { Dialect } from '../../../engine/dialect.js';
import type { Operation, Row } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import type { Fence } from '../jobs/claimed-job.js';
import { fenced, inKeyOrderOf, keyOf } from './fence.js';
import { type UnlockedAttempts, classifyUnlocked } from './classify-unlocked.js';
import { type LockingSelect, type WhenLocked, lockAll, lockSkippingLocked } from './lock-skipping-locked.js';

/*
 * Only transactional handlers wait for the row of a running job.
 *
 * A transaction of the application may hold such a row as long as it lasts: a locking read, or a cancellation at
 * REPEATABLE READ that still sees the job waiting. Outcomes are stored in batches, so a worker that waited for one row
 * would block all its outcomes. It skips locked rows, stores the rest, and tries the busy jobs again a little later. So
 * every operation of a worker on running jobs locks them first, with `lockRunning`. See docs/decisions/0013.
 *
 * The end of a transactional handler waits: it is one job on the application's connection, which may hold other locks.
 * There the server detects deadlocks only if it sees the wait.
 */

/** The attempts of a batch. Those in none of the lists are lost to another worker. */
export interface LockedAttempts<Item> extends UnlockedAttempts<Item> {
  /** Locked by this transaction, in the order of their ids. */
  readonly ours: readonly Item[];
  /** Their rows, by `keyOf`. */
  readonly rows: ReadonlyMap<string, Row>;
  /** The condition of their rows. */
  readonly fence: Fragment;
}

/** The columns of a fence. */
const FENCE = sql`id, owner, attempt`;
/** The columns of a fence, and when the attempt started. */
export const FENCE_AND_START = sql`id, owner, attempt, claimed_at`;

/**
 * Locks the rows of the attempts that this worker still holds. Part of a transaction.
 *
 * Index: the primary key, in its order. One more plain read, only if not all of them were locked.
 *
 * @param columns the columns to read.
 */
export function* lockRunning<Item>(
  dialect: Dialect,
  items: readonly Item[],
  jobOf: (item: Item) => Fence,
  whenLocked: WhenLocked = 'skip',
  columns: Fragment = FENCE,
): Operation<LockedAttempts<Item>> {
  const inOrder = inKeyOrderOf(items, jobOf);
  const fence = fenced(dialect, inOrder.map(jobOf));
  const lock: LockingSelect<Item> = (some, locking) => {
    const condition = some === inOrder ? fence : fenced(dialect, some.map(jobOf));
    return sql`SELECT ${columns} FROM ${dialect.tables.job} ${dialect.byPrimaryKey} WHERE ${condition} ${locking}`;
  };
  const found =
    whenLocked === 'wait'
      ? yield* lockAll(inOrder, lock, dialect.forUpdate)
      : yield* lockSkippingLocked(dialect, inOrder, (item) => jobOf(item).id.toString('hex'), lock);
  const rows = new Map(found.map((row) => [keyOf(row as unknown as Fence), row]));
  if (rows.size === inOrder.length) {
    return { ours: inOrder, rows, fence, ended: [], gone: [], busy: [] };
  }
  const isHeld = (item: Item) => rows.has(keyOf(jobOf(item)));
  const ours = inOrder.filter(isHeld);
  const unlocked = inOrder.filter((item) => !isHeld(item));
  return {
    ours,
    rows,
    fence: fenced(dialect, ours.map(jobOf)),
    ...(yield* classifyUnlocked(dialect, unlocked, jobOf, whenLocked)),
  };
}

/** The same for one attempt: `busy` where another transaction has locked it, `lost` where another worker has the job. */
export function* lockOneRunning(dialect: Dialect, job: Fence): Operation<'ours' | 'busy' | 'lost'> {
  const { ours, busy } = yield* lockRunning(dialect, [job], (each) => each);
  return ours.length > 0 ? 'ours' : busy.length > 0 ? 'busy' : 'lost';
}

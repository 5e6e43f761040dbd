import type { Dialect } from '../../engine/dialect.js';
import type { Fragment, Operation, Row } from '../../engine/operation.js';
import type { Fence } from '../base/claimed-job.js';
import { fenced, inKeyOrderOf, keyOf } from '../base/fence.js';
import { type UnlockedAttempts, classifyUnlocked } from './classify-unlocked.js';
import { type LockingSelect, lockAll, lockSkippingLocked } from '../base/lock-skipping-locked.js';

/*
 * Who waits for the row of a running job, and who does not.
 *
 * An application's transaction may hold such a row for as long as it lasts: a locking read of its own, or a cancellation
 * at REPEATABLE READ that still sees the job waiting. Outcomes are written down in batches, so a worker that waited for
 * one row would stop with all it has. It passes over what is locked, writes down the rest, and tries the busy ones again
 * a little later. So the first statement of everything a worker writes about running jobs locks them, by this.
 *
 * The end of a transactional handler waits: it is about one job, on the application's connection, whose other locks
 * somebody may wait for. Only a wait in the server is seen as a deadlock there.
 */

/** What to do about a row that another transaction has locked. */
export type IfLocked = 'pass over' | 'wait';

/** What a batch of runs was found to be. Those in none of the lists are lost to another worker. */
export interface LockedRuns<Item> extends UnlockedAttempts<Item> {
  /** Held by this transaction until it ends, in the order of their ids. */
  readonly ours: readonly Item[];
  /** Their rows, by `keyOf`. */
  readonly rows: ReadonlyMap<string, Row>;
  /** The condition of their rows, if there are any. */
  readonly fence: Fragment;
}

/**
 * Locks the rows of runs that are still this worker's. Part of a transaction.
 *
 * Index: the primary key, in its order. One plain read more, only where not all of them were locked.
 *
 * @param columns what to read of them besides the fence.
 */
export function* lockRunning<Item>(
  dialect: Dialect,
  items: readonly Item[],
  jobOf: (item: Item) => Fence,
  ifLocked: IfLocked = 'pass over',
  columns: readonly string[] = [],
): Operation<LockedRuns<Item>> {
  const inOrder = inKeyOrderOf(items, jobOf);
  const fence = fenced(dialect, inOrder.map(jobOf));
  const lock: LockingSelect<Item> = (some, locking) => {
    const { sql, parameters } = some === inOrder ? fence : fenced(dialect, some.map(jobOf));
    return {
      sql: `SELECT ${['id', 'owner', 'attempt', ...columns].join(', ')} FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
            WHERE ${sql} ${locking}`,
      parameters,
    };
  };
  const found =
    ifLocked === 'wait'
      ? yield* lockAll(inOrder, lock, dialect.forUpdate)
      : yield* lockSkippingLocked(dialect, inOrder, (item) => jobOf(item).id.toString('hex'), lock);
  const rows = new Map(found.map((row) => [keyOf(row as unknown as Fence), row]));
  if (rows.size === inOrder.length) {
    return { ours: inOrder, rows, fence, ended: [], gone: [], busy: [] };
  }
  const isHeld = (item: Item) => rows.has(keyOf(jobOf(item)));
  const ours = inOrder.filter(isHeld);
  const left = inOrder.filter((item) => !isHeld(item));
  return {
    ours,
    rows,
    fence: fenced(dialect, ours.map(jobOf)),
    ...(yield* classifyUnlocked(dialect, left, jobOf, ifLocked)),
  };
}

import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { type LiveState, type Outcome, isLive } from '../../../tables/job.js';
import type { Fence } from '../jobs/claimed-job.js';
import { keyOf } from './fence.js';
import type { WhenLocked } from './lock-skipping-locked.js';

/** The attempts whose rows were not locked. Those in none of the lists are lost to another worker. */
export interface UnlockedAttempts<Item> {
  /** Finished as this attempt, by an earlier try. */
  readonly ended: readonly Item[];
  /** They have no row. */
  readonly gone: readonly Item[];
  /** Still held by this worker, but another transaction has locked their rows. */
  readonly busy: readonly Item[];
}

/**
 * Finds out why rows were not locked.
 *
 * Index: the primary key. Locks nothing.
 *
 * @param whenLocked what the locking statement did with locked rows. If it waited, no job is busy, whatever a
 *   transaction at REPEATABLE READ still sees.
 */
export function* classifyUnlocked<Item>(
  { tables }: Dialect,
  items: readonly Item[],
  jobOf: (item: Item) => Fence,
  whenLocked: WhenLocked,
): Operation<UnlockedAttempts<Item>> {
  const rows = yield* select<Fence & { state: LiveState | Outcome }>(
    sql`SELECT id, owner, attempt, state FROM ${tables.job}
        WHERE id IN (${sql.list(items.map((item) => jobOf(item).id))})`,
  );
  const there = new Set(rows.map(({ id }) => id.toString('hex')));
  const ended = new Set(rows.filter(({ state }) => !isLive(state)).map(keyOf));
  const running = new Set(rows.filter(({ state }) => state === 'running').map(keyOf));
  return {
    ended: items.filter((item) => ended.has(keyOf(jobOf(item)))),
    gone: items.filter((item) => !there.has(jobOf(item).id.toString('hex'))),
    busy: whenLocked === 'wait' ? [] : items.filter((item) => running.has(keyOf(jobOf(item)))),
  };
}

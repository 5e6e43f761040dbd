import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { Fence } from '../base/jobs/claimed-job.js';
import { keyOf } from '../base/locks/fence.js';
import type { WhenLocked } from '../base/locks/lock-skipping-locked.js';

/** The attempts whose rows were not locked. Those in none of the lists are lost to another worker. */
export interface UnlockedAttempts<Item> {
  /** In the history as this attempt: by an earlier try, or by this transaction. */
  readonly ended: readonly Item[];
  /** In neither table. */
  readonly gone: readonly Item[];
  /** Still held by this worker, but another transaction has locked their rows. */
  readonly busy: readonly Item[];
}

/**
 * Finds out why rows were not locked. One statement, so that a job that is being moved is found in one of the tables.
 *
 * Index: the primary keys. Locks nothing.
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
  const ids = sql.list(items.map((item) => jobOf(item).id));
  const rows = yield* select<Fence & { found: string }>(
    // A ready job's owner is the number of its lane, which may equal that of a worker.
    sql`SELECT id, owner, attempt, CASE state WHEN 'running' THEN 'running' ELSE 'other' END AS found
        FROM ${tables.job} WHERE id IN (${ids})
        UNION ALL
        SELECT id, owner, attempt, 'history' FROM ${tables.history} WHERE id IN (${ids})`,
  );
  const there = new Set(rows.map(({ id }) => id.toString('hex')));
  const keysIn = (wanted: string) => new Set(rows.filter(({ found }) => found === wanted).map(keyOf));
  const history = keysIn('history');
  const live = keysIn('running');
  const isEnded = (item: Item) => history.has(keyOf(jobOf(item)));
  return {
    ended: items.filter(isEnded),
    gone: items.filter((item) => !there.has(jobOf(item).id.toString('hex'))),
    busy: whenLocked === 'wait' ? [] : items.filter((item) => live.has(keyOf(jobOf(item))) && !isEnded(item)),
  };
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, placeholders, select } from '../../engine/operation.js';
import type { Fence } from '../base/claimed-job.js';
import { keyOf } from '../base/fence.js';
import type { IfLocked } from './lock-running.js';

/** What has become of runs whose rows were not locked. Those in none of the lists are lost to another worker. */
export interface UnlockedAttempts<Item> {
  /** In the history as this very run: written by an earlier try, or a moment ago by this transaction. */
  readonly ended: readonly Item[];
  /** In neither table. */
  readonly gone: readonly Item[];
  /** Still this worker's, but another transaction has locked their rows. */
  readonly busy: readonly Item[];
}

/**
 * Tells why rows were not locked. In one statement, so that a job that is moved just now is seen in one of the tables.
 *
 * Index: the primary keys. Locks nothing.
 *
 * @param ifLocked what the statement did that was to lock them. Where it has waited, nothing is busy, whatever a
 *   transaction at REPEATABLE READ still sees.
 */
export function* classifyUnlocked<Item>(
  { tables }: Dialect,
  items: readonly Item[],
  jobOf: (item: Item) => Fence,
  ifLocked: IfLocked,
): Operation<UnlockedAttempts<Item>> {
  const ids = items.map((item) => jobOf(item).id);
  const rows = yield* select<Fence & { place: string }>(
    // A ready job's owner is the number of its lane, which may equal a worker's.
    `SELECT id, owner, attempt, CASE state WHEN 'running' THEN 'running' ELSE 'other' END AS place
     FROM ${tables.job} WHERE id IN (${placeholders(ids)})
     UNION ALL
     SELECT id, owner, attempt, 'history' FROM ${tables.history} WHERE id IN (${placeholders(ids)})`,
    [...ids, ...ids],
  );
  const there = new Set(rows.map(({ id }) => id.toString('hex')));
  const keysIn = (wanted: string) => new Set(rows.filter(({ place }) => place === wanted).map(keyOf));
  const history = keysIn('history');
  const live = keysIn('running');
  const isEnded = (item: Item) => history.has(keyOf(jobOf(item)));
  return {
    ended: items.filter(isEnded),
    gone: items.filter((item) => !there.has(jobOf(item).id.toString('hex'))),
    busy: ifLocked === 'wait' ? [] : items.filter((item) => live.has(keyOf(jobOf(item))) && !isEnded(item)),
  };
}

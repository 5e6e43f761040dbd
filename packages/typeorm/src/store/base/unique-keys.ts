import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, type Statement, change, placeholders, select } from '../../engine/operation.js';
import { groupBy } from '../../group-by.js';
import type { UniqueSpan } from '../../tables/unique.js';
import { MOST_IDS, chunksOf } from './chunks.js';
import { lockSkippingLocked } from './lock-skipping-locked.js';

/*
 * Who waits for a unique key, and who does not.
 *
 * An enqueue locks the rows of its keys in their order and waits for others that have, until their transactions end:
 * only then is it known whether the key is taken. It may lock job rows afterwards.
 *
 * Everything else has locked its jobs already and passes over those whose key is locked: a claim leaves them ready, an
 * outcome is written down a little later, a cancellation becomes a request. So no worker ever waits for a transaction of
 * the application's, nobody waits in a circle, and a job that was found to have a key does not let go of it, and is not
 * begun, before the transaction that has found it so has ended. Where the server cannot pass over rows, `lockFree` says
 * how long a worker waits. Claims that look at jobs before they lock them lock the keys first.
 */

/** A unique key: it belongs to jobs of one name. */
export interface KeyOfName {
  readonly name: string;
  readonly key: string;
}

/** Tells one from all others: no name has a space. */
export function identityOf({ name, key }: KeyOfName): string {
  return `${name} ${key}`;
}

/** A job that may hold a unique key. */
export interface Holder {
  readonly id: Buffer;
  readonly name: string;
  readonly uniqueKey: string | null;
}

/** A key that is locked by this transaction. */
export interface LockedKey extends KeyOfName {
  readonly jobId: Buffer;
  readonly lasts: UniqueSpan;
  /** Whether it has a window that is not over. */
  readonly isInWindow: boolean;
}

/** The columns of a `LockedKey`. */
export function keyColumns({ now }: Dialect): string {
  return `name, unique_key, job_id, lasts, (window_until IS NOT NULL AND window_until > ${now}) AS in_window`;
}

/** What a statement with `keyColumns` returns. */
export interface KeyRow {
  readonly name: string;
  readonly unique_key: string;
  readonly job_id: Buffer;
  readonly lasts: UniqueSpan;
  readonly in_window: number | string;
}

export function toLockedKey(row: KeyRow): LockedKey {
  return {
    name: row.name,
    key: row.unique_key,
    jobId: row.job_id,
    lasts: row.lasts,
    isInWindow: Number(row.in_window) === 1,
  };
}

/** The condition of the rows of some keys. Keys of one name, as a rule all of them, share a list. */
function ofKeys(keys: readonly KeyOfName[]): Fragment {
  const byName = [...groupBy(keys, ({ name }) => name)];
  return {
    sql: `(${byName.map(([, own]) => `(name = ? AND unique_key IN (${placeholders(own)}))`).join(' OR ')})`,
    parameters: byName.flatMap(([name, own]) => [name, ...own.map(({ key }) => key)]),
  };
}

/** The keys of some jobs. */
export interface HeldKeys {
  readonly keys: readonly LockedKey[];
  /** The jobs whose key somebody else has locked: they have to stay as they are. */
  readonly busy: ReadonlySet<Holder>;
}

const NONE: HeldKeys = { keys: [], busy: new Set() };

/**
 * Locks the unique keys of jobs, in the transaction that is going to change these, but those that somebody else has
 * locked: see `lockFree`. Jobs without a key, as a rule all of them, cost nothing.
 *
 * Index: the primary key. A key whose row is gone, which only somebody's own SQL can bring about, holds up nothing: what
 * was not locked is looked up again.
 */
export function* lockKeysOf(dialect: Dialect, jobs: readonly Holder[]): Operation<HeldKeys> {
  const holders = jobs.filter(({ uniqueKey }) => uniqueKey !== null);
  if (holders.length === 0) {
    return NONE;
  }
  const locked = yield* keysOf(holders, (keys) => lockFreeKeys(dialect, keys));
  const held = new Set(locked.map(({ jobId }) => jobId.toString('hex')));
  const open = holders.filter(({ id }) => !held.has(id.toString('hex')));
  if (open.length === 0) {
    return { keys: locked, busy: NONE.busy };
  }
  const found = yield* keysOf(open, (keys) => readKeys(dialect, keys, ''));
  const existing = new Set(found.map(({ jobId }) => jobId.toString('hex')));
  return { keys: locked, busy: new Set(open.filter(({ id }) => existing.has(id.toString('hex')))) };
}

/** Those that the jobs hold: a job may stand beside a later one with the same key. */
function* keysOf(
  holders: readonly Holder[],
  read: (keys: readonly KeyOfName[]) => Operation<readonly LockedKey[]>,
): Operation<LockedKey[]> {
  const ids = new Set(holders.map(({ id }) => id.toString('hex')));
  const keys: LockedKey[] = [];
  for (const part of chunksOf(holders, MOST_IDS)) {
    const found = yield* read(part.map(({ name, uniqueKey }) => ({ name, key: uniqueKey as string })));
    keys.push(...found.filter(({ jobId }) => ids.has(jobId.toString('hex'))));
  }
  return keys;
}

/** The rows of unique keys, up to `MOST_IDS`; with what stands behind the SELECT to lock them. */
export function* readKeys(dialect: Dialect, keys: readonly KeyOfName[], locking: string): Operation<LockedKey[]> {
  const { sql, parameters } = selectKeys(dialect, keys, locking);
  return (yield* select<KeyRow>(sql, parameters)).map(toLockedKey);
}

/**
 * Locks unique keys, up to `MOST_IDS`, but those that somebody else has locked. In a transaction.
 *
 * @param condition that they have to meet besides.
 */
export function* lockFreeKeys(
  dialect: Dialect,
  keys: readonly KeyOfName[],
  condition = 'TRUE',
): Operation<LockedKey[]> {
  const rows = yield* lockSkippingLocked<KeyOfName, KeyRow>(dialect, keys, identityOf, (some, locking) =>
    selectKeys(dialect, some, locking, condition),
  );
  return rows.map(toLockedKey);
}

function selectKeys(dialect: Dialect, keys: readonly KeyOfName[], locking: string, condition = 'TRUE'): Statement {
  const { sql, parameters } = ofKeys(keys);
  return {
    sql: `SELECT ${keyColumns(dialect)} FROM ${dialect.tables.unique} ${dialect.byPrimaryKey}
          WHERE ${sql} AND ${condition} ${locking}`,
    parameters,
  };
}

/** Lets go of locked keys: those with an open window stay taken until it is over. Part of a transaction. */
export function* releaseKeys(dialect: Dialect, keys: readonly LockedKey[]): Operation<void> {
  const { tables, byPrimaryKey } = dialect;
  for (const part of chunksOf(keys, MOST_IDS)) {
    const kept = part.filter(({ isInWindow }) => isInWindow);
    const over = part.filter(({ isInWindow }) => !isInWindow);
    if (over.length > 0) {
      yield* deleteUniqueKeys(dialect, over);
    }
    if (kept.length > 0) {
      const { sql, parameters } = ofKeys(kept);
      yield* change(`UPDATE ${tables.unique} ${byPrimaryKey} SET lasts = 'window' WHERE ${sql}`, parameters);
    }
  }
}

/** Deletes keys that this transaction has locked, up to `MOST_IDS`; only those of these jobs, if it should be gone. */
export function* deleteUniqueKeys(
  dialect: Dialect,
  keys: readonly Pick<LockedKey, 'name' | 'key' | 'jobId'>[],
): Operation<void> {
  const { sql, parameters } = ofKeys(keys);
  const ids = keys.map(({ jobId }) => jobId);
  yield* change(`${dialect.deleteFrom(dialect.tables.unique)} WHERE ${sql} AND job_id IN (${placeholders(ids)})`, [
    ...parameters,
    ...ids,
  ]);
}

/**
 * Ends the keys that last while their jobs are queued. Part of the claim that takes the jobs.
 *
 * @returns the jobs as they are then. They do not take their keys again, also when they come back to the queue: another
 * job may have them by then.
 */
export function* endQueued<Job extends Holder>(
  dialect: Dialect,
  jobs: readonly Job[],
  keys: readonly LockedKey[],
): Operation<readonly Job[]> {
  const lasting = keys.filter(({ lasts }) => lasts === 'queued');
  if (lasting.length === 0) {
    return jobs;
  }
  const begun = new Set(jobs.map(({ id }) => id.toString('hex')));
  const queued = lasting.filter(({ jobId }) => begun.has(jobId.toString('hex')));
  if (queued.length === 0) {
    return jobs;
  }
  yield* releaseKeys(dialect, queued);
  const ids = queued.map(({ jobId }) => jobId);
  yield* change(
    `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET unique_key = NULL WHERE id IN (${placeholders(ids)})`,
    ids,
  );
  const ended = new Set(ids.map((id) => id.toString('hex')));
  return jobs.map((job) => (ended.has(job.id.toString('hex')) ? { ...job, uniqueKey: null } : job));
}

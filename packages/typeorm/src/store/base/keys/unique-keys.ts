import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change, select } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import { groupBy } from '../../../group-by.js';
import type { UniqueSpan } from '../../../definition/unique-span.js';
import { MOST_IDS, type Measure, chunksBySize } from '../chunks.js';
import { lockSkippingLocked } from '../locks/lock-skipping-locked.js';

/*
 * Only enqueues wait for unique keys, and retries of finished jobs, which have locked only those.
 *
 * An enqueue locks the rows of its keys in their order, and waits for other transactions that hold them. Only after
 * they end is it known whether a key is taken. It may lock rows of jobs afterwards.
 *
 * All other operations have locked their jobs already, and skip those whose key is locked. A claim leaves the job
 * ready, an outcome is stored a little later, a cancellation becomes a request. So a worker never waits for a
 * transaction of the application, and there are no deadlocks. A job that an enqueue has found to hold a key keeps the
 * key, and does not start, until the transaction of the enqueue ends. See docs/decisions/0035, and for servers without
 * SKIP LOCKED `lockSkippingLocked`. Claims that read jobs before they lock them lock the keys first.
 */

/** A unique key: it belongs to jobs of one name. */
export interface KeyOfName {
  readonly name: string;
  readonly key: string;
}

/** A string that identifies the key: names have no spaces. */
export function identityOf({ name, key }: KeyOfName): string {
  return `${name} ${key}`;
}

/** A job that may hold a unique key. */
export interface Holder {
  readonly id: Buffer;
  readonly name: string;
  readonly uniqueKey: string | null;
}

/** A key that this transaction has locked. */
export interface LockedKey extends KeyOfName {
  readonly jobId: Buffer;
  readonly lasts: UniqueSpan;
  /** Whether it has a window that has not ended. */
  readonly isInWindow: boolean;
}

/** The columns of a `LockedKey`. */
export function keyColumns({ now }: Dialect): Fragment {
  return sql`name, unique_key, job_id, lasts, (window_until IS NOT NULL AND window_until > ${now}) AS in_window`;
}

/** A row with `keyColumns`. */
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

/** How many bytes a unique key and its job take in a statement at most. */
export function bytesOfKey({ name, key }: KeyOfName, measure: Measure): number {
  return 250 + name.length + measure(key);
}

/** The condition that a row has one of the keys. Keys of one name, usually all of them, share a list. */
function isOneOf(keys: readonly KeyOfName[]): Fragment {
  const byName = [...groupBy(keys, ({ name }) => name)].map(
    ([name, own]) => sql`(name = ${name} AND unique_key IN (${sql.list(own.map(({ key }) => key))}))`,
  );
  return sql`(${sql.join(byName, sql` OR `)})`;
}

/** The keys of some jobs. */
export interface LockedKeys {
  readonly keys: readonly LockedKey[];
  /** The jobs whose key another transaction has locked: they must stay as they are. */
  readonly busy: ReadonlySet<Holder>;
}

const NONE: LockedKeys = { keys: [], busy: new Set() };

/**
 * Locks the unique keys of jobs, skipping locked ones. Part of the transaction that changes the jobs. Jobs without a
 * key cost nothing.
 *
 * Index: the primary key. Keys that were not locked are read again: one whose row was deleted by other SQL blocks
 * nothing.
 */
export function* lockKeysOf(dialect: Dialect, jobs: readonly Holder[]): Operation<LockedKeys> {
  const holders = jobs.filter(({ uniqueKey }) => uniqueKey !== null);
  if (holders.length === 0) {
    return NONE;
  }
  const locked = yield* keysOf(dialect, holders, (keys) => lockAvailableKeys(dialect, keys));
  const held = new Set(locked.map(({ jobId }) => jobId.toString('hex')));
  const open = holders.filter(({ id }) => !held.has(id.toString('hex')));
  if (open.length === 0) {
    return { keys: locked, busy: NONE.busy };
  }
  const found = yield* keysOf(dialect, open, (keys) => readKeys(dialect, keys, sql.empty));
  const existing = new Set(found.map(({ jobId }) => jobId.toString('hex')));
  return { keys: locked, busy: new Set(open.filter(({ id }) => existing.has(id.toString('hex')))) };
}

/** The keys that the jobs hold: a later job may have taken the key of a job that is in the queue again. */
function* keysOf(
  dialect: Dialect,
  holders: readonly Holder[],
  read: (keys: readonly KeyOfName[]) => Operation<readonly LockedKey[]>,
): Operation<LockedKey[]> {
  const ids = new Set(holders.map(({ id }) => id.toString('hex')));
  const keys: LockedKey[] = [];
  const wanted = holders.map(({ name, uniqueKey }) => ({ name, key: uniqueKey as string }));
  for (const chunk of chunksBySize(dialect, wanted, MOST_IDS, bytesOfKey)) {
    const found = yield* read(chunk);
    keys.push(...found.filter(({ jobId }) => ids.has(jobId.toString('hex'))));
  }
  return keys;
}

/**
 * Reads up to `MOST_IDS` unique keys.
 *
 * @param locking the clause that locks them, or `sql.empty`.
 */
export function* readKeys(dialect: Dialect, keys: readonly KeyOfName[], locking: Fragment): Operation<LockedKey[]> {
  return (yield* select<KeyRow>(selectKeys(dialect, keys, locking))).map(toLockedKey);
}

/**
 * Locks up to `MOST_IDS` unique keys, skipping locked ones. Part of a transaction.
 *
 * @param condition another condition that they must meet.
 */
export function* lockAvailableKeys(
  dialect: Dialect,
  keys: readonly KeyOfName[],
  condition?: Fragment,
): Operation<LockedKey[]> {
  const rows = yield* lockSkippingLocked<KeyOfName, KeyRow>(dialect, keys, identityOf, (some, locking) =>
    selectKeys(dialect, some, locking, condition),
  );
  return rows.map(toLockedKey);
}

function selectKeys(
  dialect: Dialect,
  keys: readonly KeyOfName[],
  locking: Fragment,
  condition: Fragment = sql`TRUE`,
): Fragment {
  return sql`
    SELECT ${keyColumns(dialect)} FROM ${dialect.tables.unique} ${dialect.byPrimaryKey}
    WHERE ${isOneOf(keys)} AND ${condition} ${locking}`;
}

/** The ids of the jobs whose key lasts until they are finished: if they are retried then, they take it again. */
export function holdersUntilFinished(keys: readonly LockedKey[]): ReadonlySet<string> {
  return new Set(keys.filter(({ lasts }) => lasts === 'unfinished').map(({ jobId }) => jobId.toString('hex')));
}

/** Frees locked keys: those with an open window stay taken until it ends. Part of a transaction. */
export function* freeKeys(dialect: Dialect, keys: readonly LockedKey[]): Operation<void> {
  const { tables, byPrimaryKey } = dialect;
  for (const chunk of chunksBySize(dialect, keys, MOST_IDS, bytesOfKey)) {
    const kept = chunk.filter(({ isInWindow }) => isInWindow);
    const over = chunk.filter(({ isInWindow }) => !isInWindow);
    if (over.length > 0) {
      yield* deleteUniqueKeys(dialect, over);
    }
    if (kept.length > 0) {
      yield* change(sql`UPDATE ${tables.unique} ${byPrimaryKey} SET lasts = 'window' WHERE ${isOneOf(kept)}`);
    }
  }
}

/** Deletes up to `MOST_IDS` keys that this transaction has locked, as long as the same jobs hold them. */
export function* deleteUniqueKeys(
  dialect: Dialect,
  keys: readonly Pick<LockedKey, 'name' | 'key' | 'jobId'>[],
): Operation<void> {
  const ids = sql.list(keys.map(({ jobId }) => jobId));
  yield* change(sql`${dialect.deleteFrom(dialect.tables.unique)} WHERE ${isOneOf(keys)} AND job_id IN (${ids})`);
}

/**
 * Frees the keys that last while their jobs are queued. Part of the claim that takes the jobs.
 *
 * @returns the jobs as they are now. They do not take their keys again when they return to the queue: another job may
 * have them.
 */
export function* freeKeysOfClaimed<Job extends Holder>(
  dialect: Dialect,
  jobs: readonly Job[],
  keys: readonly LockedKey[],
): Operation<readonly Job[]> {
  const lasting = keys.filter(({ lasts }) => lasts === 'queued');
  if (lasting.length === 0) {
    return jobs;
  }
  const claimed = new Set(jobs.map(({ id }) => id.toString('hex')));
  const queued = lasting.filter(({ jobId }) => claimed.has(jobId.toString('hex')));
  if (queued.length === 0) {
    return jobs;
  }
  yield* freeKeys(dialect, queued);
  const ids = queued.map(({ jobId }) => jobId);
  yield* change(
    sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET unique_key = NULL WHERE id IN (${sql.list(ids)})`,
  );
  const ended = new Set(ids.map((id) => id.toString('hex')));
  return jobs.map((job) => (ended.has(job.id.toString('hex')) ? { ...job, uniqueKey: null } : job));
}

import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import type { UniqueSpan } from '../../../definition/unique-span.js';
import { MOST_IDS, chunksBySize } from '../chunks.js';
import { type KeyOfName, type LockedKey, bytesOfKey, deleteUniqueKeys, identityOf, readKeys } from './unique-keys.js';

/** A unique key to take for a job. */
export interface WantedKey extends KeyOfName {
  readonly jobId: Buffer;
  readonly lasts: UniqueSpan;
  /** In ms. */
  readonly window: number | null;
}

/** A unique key and the job that holds it: the one it was taken for, or another. */
export type HeldKey = Pick<LockedKey, 'name' | 'key' | 'jobId' | 'lasts'>;

/**
 * Takes unique keys for jobs that are stored next. Part of a transaction.
 *
 * The INSERT decides. Where the key exists it locks the row exclusively, so it waits for transactions that take or free
 * the key. With `INSERT IGNORE`, which shares the lock, two transactions that change the row would deadlock. The SELECT
 * that follows reads rows that are locked already. It is a locking read, because in a long transaction at REPEATABLE
 * READ a plain one would read old data.
 *
 * Index: the primary key, in its order. Locks: the keys' rows and no gaps, also at REPEATABLE READ (MariaDB 10.11,
 * MySQL 9.7). An exception is a deleted row that is purged while several sessions wait for it: their locks become gap
 * locks, and two of them can deadlock. See docs/decisions/0035.
 *
 * @returns the holder of each key, in the order given.
 */
export function* takeKeys(dialect: Dialect, wanted: readonly WantedKey[]): Operation<HeldKey[]> {
  const taken = new Map<string, HeldKey>();
  const ids = new Set(wanted.map(({ jobId }) => jobId.toString('hex')));
  const isNew = ({ jobId }: HeldKey) => ids.has(jobId.toString('hex'));
  for (const chunk of chunksBySize(dialect, [...wanted].sort(byKey), MOST_IDS, bytesOfKey)) {
    yield* insertChunk(dialect, chunk, [...taken.values()].filter(isNew));
    const found = yield* readKeys(dialect, chunk, dialect.forUpdate);
    const free = found.filter(isFree);
    if (free.length > 0) {
      const freed = new Set(free.map(identityOf));
      yield* deleteUniqueKeys(dialect, free);
      yield* insertKeys(
        dialect,
        chunk.filter((key) => freed.has(identityOf(key))),
      );
    }
    chunk.forEach((key) => taken.set(identityOf(key), key));
    found.filter((key) => !free.includes(key)).forEach((key) => taken.set(identityOf(key), key));
  }
  return wanted.map((key) => taken.get(identityOf(key)) as HeldKey);
}

/** Frees the keys taken before when the wait for one times out: the caller may go on and commit its transaction. */
function* insertChunk(dialect: Dialect, chunk: readonly WantedKey[], before: readonly HeldKey[]): Operation<void> {
  try {
    yield* insertKeys(dialect, chunk);
  } catch (error) {
    yield* freeTakenKeys(dialect, before);
    throw error;
  }
}

/** Frees keys whose jobs were not stored because of an error. The caller's transaction may go on. */
export function* freeTakenKeys(dialect: Dialect, taken: readonly Omit<HeldKey, 'lasts'>[]): Operation<void> {
  try {
    for (const chunk of chunksBySize(dialect, taken, MOST_IDS, bytesOfKey)) {
      yield* deleteUniqueKeys(dialect, chunk);
    }
  } catch {
    // The transaction is gone, and the keys with it. The caller throws the first error.
  }
}

/**
 * The holder of each key, in the order given; undefined where it is free. Locks nothing and sees committed rows only.
 */
export function* findHeldKeys(dialect: Dialect, keys: readonly KeyOfName[]): Operation<(HeldKey | undefined)[]> {
  const taken = new Map<string, HeldKey>();
  for (const chunk of chunksBySize(dialect, keys, MOST_IDS, bytesOfKey)) {
    const found = yield* readKeys(dialect, chunk, sql.empty);
    found.filter((key) => !isFree(key)).forEach((key) => taken.set(identityOf(key), key));
  }
  return keys.map((key) => taken.get(identityOf(key)));
}

function* insertKeys(dialect: Dialect, wanted: readonly WantedKey[]): Operation<void> {
  const rows = wanted.map(({ name, key, jobId, lasts, window }) => {
    const until = window === null ? sql`NULL` : sql`${dialect.now} + ${window}`;
    return sql`(${name}, ${key}, ${jobId}, ${lasts}, ${until})`;
  });
  yield* change(
    sql`INSERT INTO ${dialect.tables.unique} (name, unique_key, job_id, lasts, window_until)
        VALUES ${sql.join(rows)} ${dialect.onConflictLock(sql`job_id`)}`,
  );
}

/** Whether only a window held it, and the window has ended. */
function isFree({ lasts, isInWindow }: LockedKey): boolean {
  return lasts === 'window' && !isInWindow;
}

function byKey(a: KeyOfName, b: KeyOfName): number {
  return identityOf(a) < identityOf(b) ? -1 : 1;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import type { UniqueSpan } from '../../tables/unique.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { type KeyOfName, type LockedKey, deleteUniqueKeys, identityOf, readKeys } from '../base/unique-keys.js';

/** A unique key that is wanted for a job. */
export interface WantedKey extends KeyOfName {
  readonly jobId: Buffer;
  readonly lasts: UniqueSpan;
  /** In ms. */
  readonly window: number | null;
}

/** A key that is taken: by the job it was wanted for, or by another. */
export type TakenKey = Pick<LockedKey, 'name' | 'key' | 'jobId' | 'lasts'>;

/**
 * Takes unique keys for jobs that are about to be stored. Part of a transaction.
 *
 * The INSERT decides, not a look before it: where the key exists, the row of that is locked exclusively (`INSERT IGNORE`
 * would share the lock, and two that then want to change the row would wait for each other), so it waits until whoever is
 * about to take or to free the key has ended. The SELECT that follows reads what is locked already. It is a locking one:
 * in a long transaction at REPEATABLE READ a plain one would read the past.
 *
 * Index: the primary key, in its order. Locks: the keys' rows, and no gap beside them, at REPEATABLE READ neither
 * (MariaDB 10.11, MySQL 9.7): whoever takes a neighbouring key does not wait. But where a row that was deleted is purged
 * after the first who waited for it has got its lock, and before that one goes on, the locks of all who want it become
 * ones of the gap, and two of them a deadlock: one in 44,000 enqueues of five keys by twenty sessions, on MySQL 9.7 with
 * three times as much to do as it had cores for, none in 25,000 otherwise (2026-11-25).
 *
 * @returns who has each of them, in the order given.
 */
export function* takeKeys(dialect: Dialect, wanted: readonly WantedKey[]): Operation<TakenKey[]> {
  const taken = new Map<string, TakenKey>();
  const ids = new Set(wanted.map(({ jobId }) => jobId.toString('hex')));
  const isOurs = ({ jobId }: TakenKey) => ids.has(jobId.toString('hex'));
  for (const part of chunksOf([...wanted].sort(byKey), MOST_IDS)) {
    yield* insertPart(dialect, part, [...taken.values()].filter(isOurs));
    const found = yield* readKeys(dialect, part, dialect.forUpdate);
    const free = found.filter(isFree);
    if (free.length > 0) {
      const freed = new Set(free.map(identityOf));
      yield* deleteUniqueKeys(dialect, free);
      yield* insertKeys(
        dialect,
        part.filter((key) => freed.has(identityOf(key))),
      );
    }
    part.forEach((key) => taken.set(identityOf(key), key));
    found.filter((key) => !free.includes(key)).forEach((key) => taken.set(identityOf(key), key));
  }
  return wanted.map((key) => taken.get(identityOf(key)) as TakenKey);
}

/** A key that cannot be had, because whoever has it takes too long, undoes those before: the caller may go on and commit. */
function* insertPart(dialect: Dialect, part: readonly WantedKey[], before: readonly TakenKey[]): Operation<void> {
  try {
    yield* insertKeys(dialect, part);
  } catch (error) {
    yield* giveBackKeys(dialect, before);
    throw error;
  }
}

/** Gives keys back whose jobs are not stored after all, because of an error that the caller may survive. */
export function* giveBackKeys(dialect: Dialect, taken: readonly TakenKey[]): Operation<void> {
  try {
    for (const part of chunksOf(taken, MOST_IDS)) {
      yield* deleteUniqueKeys(dialect, part);
    }
  } catch {
    // The transaction is gone, and the keys with it. What matters is the error before.
  }
}

/**
 * Who has each of some unique keys, in the order given; undefined where none has. Locks nothing, and sees no transaction
 * that is open.
 */
export function* findTakenKeys(dialect: Dialect, keys: readonly KeyOfName[]): Operation<(TakenKey | undefined)[]> {
  const taken = new Map<string, TakenKey>();
  for (const part of chunksOf(keys, MOST_IDS)) {
    const found = yield* readKeys(dialect, part, '');
    found.filter((key) => !isFree(key)).forEach((key) => taken.set(identityOf(key), key));
  }
  return keys.map((key) => taken.get(identityOf(key)));
}

function* insertKeys(dialect: Dialect, wanted: readonly WantedKey[]): Operation<void> {
  const rows = wanted.map(({ window }) => `(?, ?, ?, ?, ${window === null ? 'NULL' : `${dialect.now} + ?`})`);
  yield* change(
    `INSERT INTO ${dialect.tables.unique} (name, unique_key, job_id, lasts, window_until)
     VALUES ${rows.join(', ')} ${dialect.orLockExisting('job_id')}`,
    wanted.flatMap(({ name, key, jobId, lasts, window }) => [
      name,
      key,
      jobId,
      lasts,
      ...(window === null ? [] : [window]),
    ]),
  );
}

/** Only its window has held it, and that is over. */
function isFree({ lasts, isInWindow }: LockedKey): boolean {
  return lasts === 'window' && !isInWindow;
}

function byKey(a: KeyOfName, b: KeyOfName): number {
  return identityOf(a) < identityOf(b) ? -1 : 1;
}

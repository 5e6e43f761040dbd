import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type KeyOfName, freeKeys, lockAvailableKeys } from '../base/keys/unique-keys.js';
import { IS_LIVE } from '../base/order/lane.js';

/** How many keys one page has. */
const KEYS_PER_PAGE = 2_000;

/** The cursor before all keys. */
export const BEFORE_ALL_KEYS: KeyOfName = { name: '', key: '' };

/** The unique keys of a page without an unfinished job. */
export interface KeysWithoutJob {
  readonly keys: readonly KeyOfName[];
  /** The last key of the page; undefined on the last page. */
  readonly end: KeyOfName | undefined;
}

interface KeyRow {
  readonly name: string;
  readonly unique_key: string;
}

/**
 * Finds unique keys that no unfinished job holds: other SQL has deleted it. One page.
 *
 * Index: the primary key of the unique keys, for one page of them, then the primary key of the jobs. A transaction
 * stores and deletes a job together with its key, so one statement sees both or neither. Locks nothing.
 */
export function* findKeysWithoutJob(dialect: Dialect, after: KeyOfName): Operation<KeysWithoutJob> {
  const { tables, byPrimaryKey } = dialect;
  const isAfter = comparesTo(dialect, after, sql`>`, sql`>`);
  const [last] = yield* select<KeyRow>(
    sql`SELECT held.name, held.unique_key FROM ${tables.unique} held ${byPrimaryKey} WHERE ${isAfter}
        ORDER BY held.name, held.unique_key LIMIT 1 OFFSET ${sql.integer(KEYS_PER_PAGE - 1)}`,
  );
  const end = last && toKey(last);
  const rows = yield* select<KeyRow>(
    sql`SELECT held.name, held.unique_key FROM ${tables.unique} held ${byPrimaryKey}
        LEFT JOIN ${tables.job} job ${byPrimaryKey} ON job.id = held.job_id AND ${IS_LIVE}
        WHERE ${isAfter} ${end ? sql`AND ${comparesTo(dialect, end, sql`<`, sql`<=`)}` : sql.empty}
          AND held.lasts <> 'window' AND job.id IS NULL
        ORDER BY held.name, held.unique_key`,
  );
  return { keys: rows.map(toKey), end };
}

function toKey({ name, unique_key: key }: KeyRow): KeyOfName {
  return { name, key };
}

/** Index: a range of the primary key. See `sortKeyCondition`. */
function comparesTo(
  { rangesByRowComparison }: Dialect,
  { name, key }: KeyOfName,
  ofName: Fragment,
  ofKey: Fragment,
): Fragment {
  return rangesByRowComparison
    ? sql`(held.name, held.unique_key) ${ofKey} (${name}, ${key})`
    : sql`(held.name ${ofName} ${name} OR (held.name = ${name} AND held.unique_key ${ofKey} ${key}))`;
}

/**
 * Frees unique keys that no unfinished job holds. Part of a transaction; a second run changes nothing.
 *
 * Index and locks: the primary key of the unique keys, skipping locked ones. The jobs are read after that, so a job
 * that has taken one of the keys is seen.
 *
 * @param keys up to `MOST_IDS`.
 * @returns how many keys were freed.
 */
export function* freeKeysWithoutJob(dialect: Dialect, keys: readonly KeyOfName[]): Operation<number> {
  const locked = yield* lockAvailableKeys(dialect, keys, sql`lasts <> 'window'`);
  if (locked.length === 0) {
    return 0;
  }
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${dialect.tables.job}
        WHERE id IN (${sql.list(locked.map(({ jobId }) => jobId))}) AND ${IS_LIVE}`,
  );
  const free = locked.filter(({ jobId }) => !rows.some(({ id }) => id.equals(jobId)));
  yield* freeKeys(dialect, free);
  return free.length;
}

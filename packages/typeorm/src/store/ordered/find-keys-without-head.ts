import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { OrderKey } from '../base/ordered/order-key.js';

/** How many keys one page examines. */
const KEYS_PER_PAGE = 2_000;

/** One page of keys. */
export interface PageOfKeys {
  /** Those without a head. */
  readonly keys: readonly OrderKey[];
  /** The last key of the page; undefined on the last page. */
  readonly end: OrderKey | undefined;
}

/**
 * Finds the keys of waiting jobs that have no head, page by page. Index: the waiting jobs by key, one entry for each
 * key, however many jobs it has; then the primary key. Locks nothing.
 */
export function* findKeysWithoutHead({ tables }: Dialect, { name, key }: OrderKey): Operation<PageOfKeys> {
  const rows = yield* select<{ name: string; order_key: string; head: Buffer | null }>(
    sql`SELECT page.name, page.order_key, head.job_id AS head
        FROM (
          SELECT name, order_key FROM ${tables.ordered}
          WHERE name > ${name} OR (name = ${name} AND order_key > ${key})
          GROUP BY name, order_key ORDER BY name, order_key LIMIT ${sql.integer(KEYS_PER_PAGE)}
        ) page
        LEFT JOIN ${tables.orderKey} head ON head.name = page.name AND head.order_key = page.order_key
        ORDER BY page.name, page.order_key`,
  );
  const keyOf = (row: { readonly name: string; readonly order_key: string }) => ({
    name: row.name,
    key: row.order_key,
  });
  const last = rows.length === KEYS_PER_PAGE ? rows.at(-1) : undefined;
  return { keys: rows.filter(({ head }) => head === null).map(keyOf), end: last && keyOf(last) };
}

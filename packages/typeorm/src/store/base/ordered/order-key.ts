import { type Fragment, sql } from '../../../engine/sql.js';
import { groupBy } from '../../../group-by.js';
import type { Measure } from '../chunks.js';

/** The key of ordered jobs: it belongs to jobs of one name. */
export interface OrderKey {
  readonly name: string;
  readonly key: string;
}

/** Before all keys. */
export const FIRST_ORDER_KEY: OrderKey = { name: '', key: '' };

/** A job of a key. */
export interface OrderedJob extends OrderKey {
  readonly id: Buffer;
}

/** A string that identifies the key: names have no spaces. */
export function identityOf({ name, key }: OrderKey): string {
  return `${name} ${key}`;
}

/** Each key once. */
export function distinctKeys(keys: readonly OrderKey[]): OrderKey[] {
  return [...new Map(keys.map(({ name, key }) => [identityOf({ name, key }), { name, key }])).values()];
}

/** A condition: a row has one of the keys. */
export function isOfKeys(keys: readonly OrderKey[]): Fragment {
  const byName = [...groupBy(keys, ({ name }) => name)].map(
    ([name, own]) => sql`(name = ${name} AND order_key IN (${sql.list(own.map(({ key }) => key))}))`,
  );
  return sql`(${sql.join(byName, sql` OR `)})`;
}

/** How many bytes a key takes in a statement at most. */
export function bytesOfKey({ name, key }: OrderKey, measure: Measure): number {
  return 250 + name.length + measure(key);
}

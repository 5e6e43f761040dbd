import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import type { OrderKey } from './order-key.js';
import { countBehind } from './count-behind.js';

/** The order of a job as the tables have it. */
export interface OrderRow {
  /** The head of its key; null if the key has none at the moment. */
  readonly head: Buffer | null;
  /** Since when the key is blocked, in ms; null if it is not. */
  readonly blockedAt: number | null;
  /** How many jobs are ahead of it beside the head, up to `MOST_COUNTED`; null if it does not wait. */
  readonly ahead: number | null;
}

/** Finds the order of a job with a key. Index: the primary key, and those of the waiting jobs. Locks nothing. */
export function* findOrderOf(dialect: Dialect, id: Buffer, { name, key }: OrderKey): Operation<OrderRow> {
  const { orderKey, ordered } = dialect.tables;
  const [head] = yield* select<{ job_id: Buffer; blocked_at: number | string | null }>(
    sql`SELECT job_id, blocked_at FROM ${orderKey} WHERE name = ${name} AND order_key = ${key}`,
  );
  const [row] = yield* select<{ place: number | string }>(sql`SELECT place FROM ${ordered} WHERE job_id = ${id}`);
  const [ahead] = row ? yield* countBehind(dialect, [{ name, key }], Number(row.place)) : [null];
  return {
    head: head?.job_id ?? null,
    blockedAt: head === undefined || head.blocked_at === null ? null : Number(head.blocked_at),
    ahead: ahead ?? null,
  };
}

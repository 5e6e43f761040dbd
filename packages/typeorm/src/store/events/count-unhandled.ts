import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { UNHANDLED_AFTER } from './find-subscriptions.js';

/** Subscriptions that no worker handles. */
export interface UnhandledSubscriptions {
  readonly count: number;
  /** Up to three of them, those that have been unhandled longest. */
  readonly first: readonly { readonly event: string; readonly name: string; readonly since: number }[];
}

export const NONE_UNHANDLED: UnhandledSubscriptions = { count: 0, first: [] };

/** Counts the subscriptions that no worker handles. Index: the times when they were handled. Locks nothing. */
export function* countUnhandled({ tables, now }: Dialect): Operation<UnhandledSubscriptions> {
  const isUnhandled = sql`handled_at < ${now} - ${sql.integer(UNHANDLED_AFTER)}`;
  const [row] = yield* select<{ count: number | string }>(
    sql`SELECT COUNT(*) AS count FROM ${tables.subscription} WHERE ${isUnhandled}`,
  );
  const count = Number(row?.count);
  if (count === 0) {
    return NONE_UNHANDLED;
  }
  const rows = yield* select<{ event: string; name: string; handled_at: number | string }>(
    sql`SELECT event, name, handled_at FROM ${tables.subscription} WHERE ${isUnhandled} ORDER BY handled_at LIMIT 3`,
  );
  return { count, first: rows.map(({ event, name, handled_at: at }) => ({ event, name, since: Number(at) })) };
}

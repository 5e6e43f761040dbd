import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

interface Row {
  readonly event: string;
  readonly number: number | string;
  readonly name: string;
  readonly queue: string;
  readonly priority: number | string;
  readonly registered_at: number | string;
  readonly unhandled: number | string | null;
}

/** A subscription. Times in ms. */
export interface SubscriptionRow {
  readonly event: string;
  readonly number: number;
  readonly name: string;
  readonly queue: string;
  readonly priority: number;
  readonly registeredAt: number;
  /** When it was handled last, if that is longer ago than `UNHANDLED_AFTER`; otherwise null. */
  readonly unhandledSince: number | null;
}

/** How long a subscription may be without a worker before that is reported, in ms: longer than a deployment. */
export const UNHANDLED_AFTER = 300_000;

/** Before the first subscription. */
export const FIRST_SUBSCRIPTION = { event: '', number: 0 } as const;

/** Finds the next subscriptions, by event and number. Index: the primary key. Locks nothing. */
export function* findSubscriptions(
  { tables, now }: Dialect,
  after: Pick<SubscriptionRow, 'event' | 'number'>,
  most: number,
): Operation<SubscriptionRow[]> {
  const { event, number } = after;
  const rows = yield* select<Row>(
    sql`SELECT event, number, name, queue, priority, registered_at,
          CASE WHEN handled_at < ${now} - ${sql.integer(UNHANDLED_AFTER)} THEN handled_at END AS unhandled
        FROM ${tables.subscription}
        WHERE event >= ${event} AND (event > ${event} OR number > ${number})
        ORDER BY event, number LIMIT ${sql.integer(most)}`,
  );
  return rows.map((row) => ({
    event: row.event,
    number: Number(row.number),
    name: row.name,
    queue: row.queue,
    priority: Number(row.priority),
    registeredAt: Number(row.registered_at),
    unhandledSince: row.unhandled === null ? null : Number(row.unhandled),
  }));
}

import type { Subscription } from '../../definition/event-queue.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { insertJobs } from '../base/jobs/insert-jobs.js';
import type { NewJob } from '../base/jobs/new-job.js';

/** A subscription to register. */
export interface NewSubscription extends Subscription {
  readonly queue: string;
}

/** The stored values of a subscription. */
export type StoredSubscription = Pick<NewSubscription, 'event' | 'name' | 'queue' | 'priority'>;

/**
 * Reads the rows of subscriptions. Index: their names. Locks nothing.
 *
 * @returns those that have a row.
 */
export function* findStoredSubscriptions(
  { tables }: Dialect,
  subscriptions: readonly Pick<Subscription, 'event' | 'name'>[],
): Operation<StoredSubscription[]> {
  const found: StoredSubscription[] = [];
  for (const [event, own] of groupBy(subscriptions, (each) => each.event)) {
    for (const chunk of chunksOf(own, MOST_IDS)) {
      const rows = yield* select<{ name: string; queue: string; priority: number | string }>(
        sql`SELECT name, queue, priority FROM ${tables.subscription}
            WHERE event = ${event} AND name IN (${sql.list(chunk.map(({ name }) => name))})`,
      );
      found.push(...rows.map(({ name, queue, priority }) => ({ event, name, queue, priority: Number(priority) })));
    }
  }
  return found;
}

/** Returns the subscriptions whose rows are missing, and those whose rows have another queue or priority. */
export function differences<Wanted extends StoredSubscription>(
  wanted: readonly Wanted[],
  stored: readonly StoredSubscription[],
): { readonly missing: readonly Wanted[]; readonly changed: readonly Wanted[] } {
  const rows = new Map(stored.map((row) => [keyOf(row), row]));
  return {
    missing: wanted.filter((each) => !rows.has(keyOf(each))),
    changed: wanted.filter((each) => {
      const row = rows.get(keyOf(each));
      return row !== undefined && (row.queue !== each.queue || row.priority !== each.priority);
    }),
  };
}

// No name contains a space.
const keyOf = ({ event, name }: Pick<Subscription, 'event' | 'name'>) => `${event} ${name}`;

/**
 * Stores subscriptions that have no row, and the changes of others, with the replays of those that want earlier events.
 * Part of a transaction.
 *
 * Index and locks: the row of each event, in the order of the names, until the commit. So the registrations of an event
 * commit in the order of their numbers: a fan-out that has read one number has read all lower ones. Then the rows of
 * the subscriptions. A second run finds the rows and changes nothing.
 *
 * @param replayOf makes the replay of a new subscription; undefined if it wants no earlier events.
 */
export function* registerSubscriptions(
  dialect: Dialect,
  wanted: readonly NewSubscription[],
  replayOf: (subscription: NewSubscription, number: number) => NewJob | undefined,
): Operation<void> {
  const byEvent = [...groupBy(wanted, ({ event }) => event)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [event, own] of byEvent) {
    const last = yield* lockEvent(dialect, event);
    const { missing, changed } = differences(own, yield* findStoredSubscriptions(dialect, own));
    const added = missing.map((subscription, index) => ({ subscription, number: last + index + 1 }));
    yield* insertSubscriptions(dialect, added);
    yield* updateSubscriptions(dialect, changed);
    if (added.length > 0) {
      yield* change(sql`UPDATE ${dialect.tables.event} SET last_number = ${last + added.length} WHERE name = ${event}`);
      const replays = added.flatMap(({ subscription, number }) => replayOf(subscription, number) ?? []);
      yield* insertJobs(dialect, replays);
    }
  }
}

/** @returns the last number that was given. */
function* lockEvent(dialect: Dialect, event: string): Operation<number> {
  const { tables } = dialect;
  yield* change(
    sql`INSERT INTO ${tables.event} (name, last_number) VALUES (${event}, 0)
        ${dialect.onConflictLock(sql`last_number`)}`,
  );
  // The row of the event may have been lost, and those of its subscriptions not.
  const [row] = yield* select<{ last: number | string; highest: number | string | null }>(
    sql`SELECT last_number AS last,
          (SELECT MAX(number) FROM ${tables.subscription} WHERE event = ${event}) AS highest
        FROM ${tables.event} WHERE name = ${event}`,
  );
  return Math.max(Number(row?.last), Number(row?.highest ?? 0));
}

function* insertSubscriptions(
  { tables, now }: Dialect,
  added: readonly { readonly subscription: NewSubscription; readonly number: number }[],
): Operation<void> {
  for (const chunk of chunksOf(added, MOST_IDS)) {
    const rows = chunk.map(
      ({ subscription: { event, name, queue, priority }, number }) =>
        sql`(${event}, ${number}, ${name}, ${queue}, ${priority}, ${now}, ${now})`,
    );
    yield* change(
      sql`INSERT INTO ${tables.subscription} (event, number, name, queue, priority, registered_at, handled_at)
          VALUES ${sql.join(rows)}`,
    );
  }
}

function* updateSubscriptions({ tables }: Dialect, changed: readonly StoredSubscription[]): Operation<void> {
  // In the order in which `markHandled` locks them.
  for (const { event, name, queue, priority } of changed.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    yield* change(
      sql`UPDATE ${tables.subscription} SET queue = ${queue}, priority = ${priority}
          WHERE event = ${event} AND name = ${name}`,
    );
  }
}

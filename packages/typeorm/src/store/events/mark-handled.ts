import type { Subscription } from '../../definition/event-queue.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';

/** How far the stored time may be off, in ms. */
const TOLERANCE = 30_000;

/**
 * Marks subscriptions as handled by a living worker, where that was not done a moment ago. Of many workers with the
 * same handlers one writes.
 *
 * Index: the names. Locks: the rows that it changes, in the order of the names.
 *
 * @returns the names of those that have no row, by event.
 */
export function* markHandled(
  { tables, now }: Dialect,
  subscriptions: readonly Pick<Subscription, 'event' | 'name'>[],
): Operation<Pick<Subscription, 'event' | 'name'>[]> {
  const missing: Pick<Subscription, 'event' | 'name'>[] = [];
  for (const [event, own] of groupBy(subscriptions, (each) => each.event)) {
    for (const chunk of chunksOf(own, MOST_IDS)) {
      const isOld = sql`handled_at NOT BETWEEN ${now} - ${sql.integer(TOLERANCE)} AND ${now} + ${sql.integer(TOLERANCE)}`;
      const rows = yield* select<{ name: string; old: number | string }>(
        sql`SELECT name, ${isOld} AS old FROM ${tables.subscription}
            WHERE event = ${event} AND name IN (${sql.list(chunk.map(({ name }) => name))})`,
      );
      missing.push(...chunk.filter(({ name }) => !rows.some((row) => row.name === name)));
      const old = rows.filter((row) => Number(row.old) === 1);
      if (old.length > 0) {
        yield* change(
          sql`UPDATE ${tables.subscription} SET handled_at = ${now}
              WHERE event = ${event} AND name IN (${sql.list(old.map(({ name }) => name))}) AND ${isOld}`,
        );
      }
    }
  }
  return missing;
}

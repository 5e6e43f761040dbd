import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type StoredLimits, ensureRow, limitQueue } from './queue-settings.js';

/**
 * Sets the limits that the options of a worker declare, by queue. It leaves a queue for which the same were declared
 * last: `control.limit` may have changed its limits since. Part of a transaction. Does nothing the second time.
 *
 * Index: the primary key. Locks: the rows of queues with other limits, in the order of the key.
 */
export function* declareLimits(dialect: Dialect, byQueue: ReadonlyMap<string, StoredLimits>): Operation<void> {
  const { tables } = dialect;
  for (const [queue, limits] of [...byQueue].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const declared = JSON.stringify(limits);
    const [row] = yield* select<{ declared: string | null }>(
      sql`SELECT declared_limits AS declared FROM ${tables.queue} WHERE queue = ${queue}`,
    );
    if (row?.declared === declared) {
      continue;
    }
    yield* ensureRow(dialect, queue);
    const changed = yield* change(
      sql`UPDATE ${tables.queue} SET declared_limits = ${declared}
          WHERE queue = ${queue} AND (declared_limits IS NULL OR declared_limits <> ${declared})`,
    );
    // Otherwise another worker has declared the same at the same time.
    if (changed > 0) {
      yield* limitQueue(dialect, queue, limits);
    }
  }
}

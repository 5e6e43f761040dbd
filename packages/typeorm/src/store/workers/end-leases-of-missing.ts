import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { isMissing } from '../base/locks/missing-workers.js';

/**
 * Ends the leases of workers whose lock is still free. These workers are then as dead as if their lease had expired:
 * see `returnAbandonedJobs`.
 *
 * In a transaction. Index: the primary key. Locks: the rows, skipping those that are being renewed or ended. A live
 * worker that lost its lock takes another one before it renews its lease. So either this finds its new lock held, or
 * its renewal finds the lease ended. The locks are checked in a SELECT, because a replica that repeats the statement
 * would get another answer.
 *
 * @returns the workers whose lease was ended.
 */
export function* endLeasesOfMissing(dialect: Dialect, ids: readonly number[]): Operation<number[]> {
  const { worker } = dialect.tables;
  const some = ids.slice(0, MOST_IDS);
  if (some.length === 0) {
    return [];
  }
  const rows = yield* select<{ id: number | string }>(
    sql`SELECT worker.id FROM ${worker} worker ${dialect.byPrimaryKey}
        WHERE worker.id IN (${sql.list(some)}) AND ${isMissing(dialect)}
        ORDER BY worker.id ${dialect.forUpdateSkipLocked}`,
  );
  const missing = rows.map(({ id }) => Number(id));
  if (missing.length > 0) {
    yield* change(sql`UPDATE ${worker} SET lease_until = ${dialect.now} WHERE id IN (${sql.list(missing)})`);
  }
  return missing;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';

/**
 * Whether a lease was renewed while the clock was ahead: further ahead than the lease lasts, because the nodes of a
 * cluster have clocks of their own.
 */
export function isLeaseAhead({ now }: Dialect): Fragment {
  return sql`(lease_until > ${now} AND seen_at - ${now} > lease_until - seen_at)`;
}

/**
 * Lets the leases that were renewed while the clock was ahead end after their time from now on. Otherwise the jobs of a
 * worker that died then would stay running until the clock is there again. A live worker just renews its lease.
 *
 * Reads and locks all workers; there are few.
 */
export function* rebaseLeases(dialect: Dialect): Operation<void> {
  const { tables, now } = dialect;
  yield* change(
    // MySQL assigns from left to right: `seen_at` comes last.
    sql`UPDATE ${tables.worker} SET lease_until = ${now} + lease_until - seen_at, seen_at = ${now}
        WHERE ${isLeaseAhead(dialect)}`,
  );
}

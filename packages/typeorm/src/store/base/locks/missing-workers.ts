import type { Dialect } from '../../../engine/dialect.js';
import { type Fragment, sql } from '../../../engine/sql.js';

/** The named lock that a worker holds while it is alive, as its row advertises it. */
export interface HeldLock {
  readonly name: string;
  /** Identifies the server, and the run of that server, on which it is held. */
  readonly server: number;
}

/** The liveness of workers with a lease, as one poll found it. */
export interface MissingWorkers {
  /** How many workers have a lock that this server can check. */
  readonly watched: number;
  /** The workers among them whose lock is free. */
  readonly missing: readonly number[];
}

/**
 * A condition: this run of this server can check the worker's lock. After a restart or a failover all locks are free,
 * and the rows advertise locks of another run. See docs/decisions/0042.
 */
function isWatched({ server, now }: Dialect): Fragment {
  return sql`worker.lock_server = ${server} AND worker.lease_until > ${now}`;
}

/** A condition: the lock of the worker is free. A CASE, because a row without a lock has no name to check. */
export function isMissing(dialect: Dialect): Fragment {
  return sql`CASE WHEN ${isWatched(dialect)} THEN ${dialect.isLockFree(sql`worker.lock_name`)} ELSE FALSE END`;
}

/**
 * SELECTs of the missing workers, and of the number of watched ones, to be united with a poll. Reads the whole table of
 * the workers, which has a row for each process. Locks nothing.
 */
export function selectMissingWorkers(dialect: Dialect): Fragment {
  const { worker } = dialect.tables;
  return sql`SELECT worker.id AS request, 'missing' AS kind, 0 AS place, NULL AS id FROM ${worker} worker
             WHERE ${isMissing(dialect)}
             UNION ALL
             SELECT 0, 'watched', COUNT(*), NULL FROM ${worker} worker WHERE ${isWatched(dialect)}`;
}

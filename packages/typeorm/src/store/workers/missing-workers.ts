import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../../engine/operation.js';
import { MOST_IDS } from '../base/chunks.js';

/** The named lock a worker holds while it lives, as its row says. */
export interface HeldLock {
  readonly name: string;
  /** The server, and the run of it, on which it is held. */
  readonly server: number;
}

/** What a look at the workers with a lease saw. */
export interface MissingWorkers {
  /** How many have a lock that tells something here. */
  readonly watched: number;
  /** Those among them whose lock is free. */
  readonly missing: readonly number[];
}

/**
 * Whether a row's lock is one of this server and this run of it. After a restart, and after a failover, all locks are
 * free and none of them tells anything: what a row says of them is about another server then. CASE, because there is no
 * lock without a name to ask for.
 */
const tells = (dialect: Dialect) => `worker.lock_server = ${dialect.server} AND worker.lease_until > ${dialect.now}`;
const isSilent = (dialect: Dialect) =>
  `CASE WHEN ${tells(dialect)} THEN ${dialect.isLockFree('worker.lock_name')} ELSE FALSE END`;

/**
 * SELECTs of the workers that are silent, and of how many are watched, as a part of a statement that looks. Reads the
 * table of the workers; half a microsecond for each lock (MariaDB 10.11, MySQL 9.7, 2026-11-20). Locks nothing.
 */
export function selectMissingWorkers(dialect: Dialect): string {
  const { worker } = dialect.tables;
  return `SELECT worker.id AS request, 'missing' AS kind, 0 AS place, NULL AS id FROM ${worker} worker
          WHERE ${isSilent(dialect)}
          UNION ALL
          SELECT 0, 'watched', COUNT(*), NULL FROM ${worker} worker WHERE ${tells(dialect)}`;
}

/**
 * Ends the leases of workers whose lock is free, still or again. From then on they are as dead as if their lease had
 * ended by itself: see `reapLane`.
 *
 * In a transaction. Index: the primary key. Locks: the rows, passing over those that somebody renews or ends just now.
 * A worker that has lost its lock without having died takes another one before it renews its lease, so whoever comes
 * first here, the other learns of it: either this finds its lock held, or its renewal finds its lease ended. The locks
 * are asked for in a SELECT, because the answer would not be the same on a replica that repeats the statement.
 *
 * @returns those whose lease was ended.
 */
export function* endLeasesOfMissing(dialect: Dialect, ids: readonly number[]): Operation<number[]> {
  const { worker } = dialect.tables;
  const some = ids.slice(0, MOST_IDS);
  if (some.length === 0) {
    return [];
  }
  const rows = yield* select<{ id: number | string }>(
    `SELECT worker.id FROM ${worker} worker ${dialect.byPrimaryKey}
     WHERE worker.id IN (${placeholders(some)}) AND ${isSilent(dialect)}
     ORDER BY worker.id ${dialect.forUpdateSkipLocked}`,
    some,
  );
  const silent = rows.map(({ id }) => Number(id));
  if (silent.length > 0) {
    yield* change(`UPDATE ${worker} SET lease_until = ${dialect.now} WHERE id IN (${placeholders(silent)})`, silent);
  }
  return silent;
}

/** Whether a lock is seen on other connections than the one that holds it. Behind some proxies it is not. */
export function* isLockVisible(dialect: Dialect, { name, server }: HeldLock): Operation<boolean> {
  const rows = yield* select<{ seen: unknown }>(
    `SELECT ${dialect.server} = ? AND NOT (${dialect.isLockFree('?')}) AS seen`,
    [server, name],
  );
  return Number(rows[0]?.seen) === 1;
}

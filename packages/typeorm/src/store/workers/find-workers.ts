import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { queuesFromText } from './worker-queues.js';

/** A registered worker. Times in ms by the database's clock. */
export interface RegisteredWorker {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  /** The version of this package in its process. */
  readonly version: string;
  readonly queues: readonly string[];
  /** The weight of each of its queues. */
  readonly weights: Readonly<Record<string, number>>;
  readonly startedAt: number;
  /** When it registered or last renewed its lease. */
  readonly seenAt: number;
  readonly leaseUntil: number;
  /** The remaining time of its lease; 0 or less after its end, until the reaper deletes the worker. */
  readonly leaseLeft: number;
}

/**
 * Finds all registered workers, the oldest first. Reads the whole table, which has a row for each process. Locks
 * nothing.
 */
export function* findWorkers({ tables, now }: Dialect): Operation<RegisteredWorker[]> {
  const rows = yield* select(
    sql`SELECT id, host, pid, version, queues, started_at, seen_at, lease_until, lease_until - ${now} AS lease_left
        FROM ${tables.worker} ORDER BY started_at, id`,
  );
  return rows.map((row) => {
    const queues = queuesFromText(String(row.queues));
    return {
      id: Number(row.id),
      host: String(row.host),
      pid: Number(row.pid),
      version: String(row.version),
      queues: queues.map(({ name }) => name),
      weights: Object.fromEntries(queues.map(({ name, weight }) => [name, weight])),
      startedAt: Number(row.started_at),
      seenAt: Number(row.seen_at),
      leaseUntil: Number(row.lease_until),
      leaseLeft: Number(row.lease_left),
    };
  });
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { queuesFromText } from './worker-queues.js';

/** A registered worker. */
export interface WorkerIdentity {
  /** The id of the worker: the `owner` of its running jobs. */
  readonly id: number;
  /** The host name of its machine. */
  readonly host: string;
  /** The id of its process. */
  readonly pid: number;
  /** The version of @tablequeue/typeorm in its process. */
  readonly version: string;
  /** The queues that it claims from. */
  readonly queues: readonly string[];
  /** The weight of each of its queues: see `QueueSettings.weight`. */
  readonly weights: Readonly<Record<string, number>>;
}

/** The same with its lease. Times in ms by the database's clock. */
export interface RegisteredWorker extends WorkerIdentity {
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

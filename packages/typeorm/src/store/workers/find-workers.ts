import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { WorkerRequest, WorkerState } from '../../tables/worker.js';
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
  /** The version of the application's code: the worker's option `codeVersion`. */
  readonly codeVersion: string | undefined;
  /** The queues that it claims from. */
  readonly queues: readonly string[];
  /** The weight of each of its queues: see `QueueSettings.weight`. */
  readonly weights: Readonly<Record<string, number>>;
  /**
   * What it did when it last renewed its lease.
   *
   * - `working`: it claims jobs.
   * - `quiet`: it claims none, and goes on with those that it has.
   * - `stopping`: the same, and then it ends.
   */
  readonly state: WorkerState;
  /** The memory of its process when it last renewed its lease, in bytes. */
  readonly memory: WorkerMemory;
  /** The delay of its event loop between its last two renewals, in ms. */
  readonly eventLoopDelay: EventLoopDelay;
}

/** The memory of a process, in bytes. */
export interface WorkerMemory {
  /** All that the operating system counts: the resident set. */
  readonly rss: number;
  /** The used part of the JavaScript heap. */
  readonly heapUsed: number;
}

/** How late the callbacks of a process ran, in ms. */
export interface EventLoopDelay {
  /** 99 of 100 samples were shorter. */
  readonly p99: number;
  /** The longest. */
  readonly max: number;
}

/** The same with its lease. Times in ms by the database's clock. */
export interface RegisteredWorker extends WorkerIdentity {
  readonly startedAt: number;
  /** When it registered or last renewed its lease. */
  readonly seenAt: number;
  readonly leaseUntil: number;
  /** The remaining time of its lease; 0 or less after its end, until the reaper deletes the worker. */
  readonly leaseLeft: number;
  readonly requested: WorkerRequest;
  readonly requestedBy: string | null;
  /** Null if nothing was requested yet. */
  readonly requestedAt: number | null;
  /** When it last reported that its event loop was blocked for too long; null if never. */
  readonly blockedAt: number | null;
  /** How long ago that was. */
  readonly blockedAgo: number | null;
  /** For how long it was blocked. */
  readonly blockedFor: number | null;
}

/**
 * Finds all registered workers, the oldest first. Reads the whole table, which has a row for each process. Locks
 * nothing.
 */
export function* findWorkers({ tables, now }: Dialect): Operation<RegisteredWorker[]> {
  const rows = yield* select(
    sql`SELECT id, host, pid, version, code_version, queues, started_at, seen_at, lease_until,
               lease_until - ${now} AS lease_left, state, requested, requested_by, requested_at,
               rss, heap_used, delay_p99, delay_max, blocked_at, ${now} - blocked_at AS blocked_ago, blocked_for
        FROM ${tables.worker} ORDER BY started_at, id`,
  );
  return rows.map((row) => {
    const queues = queuesFromText(String(row.queues));
    return {
      id: Number(row.id),
      host: String(row.host),
      pid: Number(row.pid),
      version: String(row.version),
      codeVersion: (row.code_version as string | null) ?? undefined,
      queues: queues.map(({ name }) => name),
      weights: Object.fromEntries(queues.map(({ name, weight }) => [name, weight])),
      startedAt: Number(row.started_at),
      seenAt: Number(row.seen_at),
      leaseUntil: Number(row.lease_until),
      leaseLeft: Number(row.lease_left),
      state: row.state as WorkerState,
      memory: { rss: Number(row.rss), heapUsed: Number(row.heap_used) },
      eventLoopDelay: { p99: Number(row.delay_p99), max: Number(row.delay_max) },
      requested: row.requested as WorkerRequest,
      requestedBy: row.requested_by as string | null,
      requestedAt: numberOrNull(row.requested_at),
      blockedAt: numberOrNull(row.blocked_at),
      blockedAgo: numberOrNull(row.blocked_ago),
      blockedFor: numberOrNull(row.blocked_for),
    };
  });
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}

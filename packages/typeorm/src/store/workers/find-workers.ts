import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { queuesFromText } from './worker-queues.js';

/** A worker that is registered. Times in ms by the database's clock. */
export interface RegisteredWorker {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  /** That of this package in its process. */
  readonly version: string;
  readonly queues: readonly string[];
  /** Of each of its queues. */
  readonly weights: Readonly<Record<string, number>>;
  readonly startedAt: number;
  /** When it was registered, or renewed its lease last. */
  readonly seenAt: number;
  readonly leaseUntil: number;
  /** How long its lease still lasts; 0 or less when it has ended and the reaper has yet to come. */
  readonly leaseLeft: number;
}

/** All workers that are registered, the oldest first. Reads their table, which has a row for each process. Locks nothing. */
export function* findWorkers({ tables, now }: Dialect): Operation<RegisteredWorker[]> {
  const rows = yield* select(
    `SELECT id, host, pid, version, queues, started_at, seen_at, lease_until, lease_until - ${now} AS lease_left
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

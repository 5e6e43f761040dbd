import { defineTable } from './table.js';

/** One row of `tq_worker`: a worker, alive until its lease ends. */
export class TableQueueWorkerRow {
  /** A random number; the `owner` of the jobs it runs. */
  readonly id!: number;
  readonly host!: string;
  readonly pid!: number;
  /** The version of this package in its process. */
  readonly version!: string;
  /** The queues it claims from, and their weights, as JSON: see `queuesToText`. */
  readonly queues!: string;
  readonly startedAt!: number;
  /** When it registered or last renewed its lease. */
  readonly seenAt!: number;
  readonly leaseUntil!: number;
  /** The named lock it holds while it is alive; null without one. */
  readonly lockName!: string | null;
  /** The server, and its run, on which it holds the lock: after a restart or a failover the lock proves nothing. */
  readonly lockServer!: number | null;
}

export const workerTable = defineTable(TableQueueWorkerRow, 'worker', (types) => ({
  columns: {
    id: { ...types.count, name: 'id', primary: true },
    host: { ...types.text(255), name: 'host' },
    pid: { ...types.count, name: 'pid' },
    version: { ...types.name(64), name: 'version' },
    queues: { ...types.longText, name: 'queues' },
    startedAt: { ...types.time, name: 'started_at' },
    seenAt: { ...types.time, name: 'seen_at' },
    leaseUntil: { ...types.time, name: 'lease_until' },
    lockName: { ...types.name(64), name: 'lock_name', nullable: true },
    lockServer: { ...types.time, name: 'lock_server', nullable: true },
  },
}));

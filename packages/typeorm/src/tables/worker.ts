import { EntitySchema } from 'typeorm';

import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** One row of `tq_worker`: a process that claims jobs, alive for as long as its lease lasts. */
export class TableQueueWorkerRow {
  /** Drawn at random; the `owner` of the jobs it runs. */
  readonly id!: number;
  readonly host!: string;
  readonly pid!: number;
  /** That of this package in its process. */
  readonly version!: string;
  /** The queues it claims from, and their weights, as JSON: see `queuesToText`. */
  readonly queues!: string;
  readonly startedAt!: number;
  /** When it was registered, or renewed its lease last. */
  readonly seenAt!: number;
  readonly leaseUntil!: number;
  /** The named lock it holds while it lives; null where only its lease tells. */
  readonly lockName!: string | null;
  /** The server, and the run of it, that holds that lock: on another one, and after a restart, it tells nothing. */
  readonly lockServer!: number | null;
}

/** The schema of `tq_worker`. */
export function workerSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueWorkerRow> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueWorkerRow>({
    name: TableQueueWorkerRow.name,
    target: TableQueueWorkerRow,
    tableName: `${prefix}worker`,
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
  });
}

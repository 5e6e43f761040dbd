import { EntitySchema } from 'typeorm';

import { NAME_LENGTH } from '../definition/names.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** One row of `tq_queue`: what holds for a queue in every process. A queue without a row is neither paused nor limited. */
export class TableQueueQueueRow {
  readonly queue!: string;
  /** Since when nothing is claimed from it; null while it is not paused. */
  readonly pausedAt!: number | null;
  /** How many of its jobs run at a time, over all processes; null for no limit. */
  readonly concurrency!: number | null;
  /** The same for the jobs of each tenant. */
  readonly tenantConcurrency!: number | null;
  /** How many of its jobs begin within a window, over all processes; null for no limit. */
  readonly rateJobs!: number | null;
  /** How long that window is, in ms. */
  readonly rateWindow!: number | null;
  /** When the present window began, and how many jobs have begun in it. */
  readonly windowStartedAt!: number;
  readonly windowJobs!: number;
}

/** The schema of `tq_queue`. */
export function queueSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueQueueRow> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueQueueRow>({
    name: TableQueueQueueRow.name,
    target: TableQueueQueueRow,
    tableName: `${prefix}queue`,
    columns: {
      queue: { ...types.name(NAME_LENGTH.queue), name: 'queue', primary: true },
      pausedAt: { ...types.time, name: 'paused_at', nullable: true },
      concurrency: { ...types.count, name: 'concurrency', nullable: true },
      tenantConcurrency: { ...types.count, name: 'tenant_concurrency', nullable: true },
      rateJobs: { ...types.count, name: 'rate_jobs', nullable: true },
      rateWindow: { ...types.time, name: 'rate_window', nullable: true },
      windowStartedAt: { ...types.time, name: 'window_started_at', default: 0 },
      windowJobs: { ...types.count, name: 'window_jobs', default: 0 },
    },
  });
}

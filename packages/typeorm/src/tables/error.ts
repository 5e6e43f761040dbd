import { EntitySchema } from 'typeorm';

import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** One row of `tq_error`: why one attempt of a job, live or finished, has failed. */
export class TableQueueErrorRow {
  readonly jobId!: string;
  readonly attempt!: number;
  /** When it began. */
  readonly claimedAt!: number;
  readonly failedAt!: number;
  readonly error!: string;
}

/** The schema of `tq_error`. */
export function errorSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueErrorRow> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueErrorRow>({
    name: TableQueueErrorRow.name,
    target: TableQueueErrorRow,
    tableName: `${prefix}error`,
    columns: {
      jobId: { ...types.id, name: 'job_id', primary: true },
      attempt: { ...types.count, name: 'attempt', primary: true },
      claimedAt: { ...types.time, name: 'claimed_at' },
      failedAt: { ...types.time, name: 'failed_at' },
      error: { ...types.longText, name: 'error' },
    },
  });
}

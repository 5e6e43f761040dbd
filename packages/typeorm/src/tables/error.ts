import { EntitySchema } from 'typeorm';

import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** One row of `tq_error`: the error of a failed attempt of a live or finished job. */
export class TableQueueErrorRow {
  readonly jobId!: string;
  readonly attempt!: number;
  /** When the attempt started. */
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

import { EntitySchema } from 'typeorm';

import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** One row of `tq_cancellation`: the request to cancel a running job. */
export class TableQueueCancellation {
  readonly jobId!: string;
  readonly requestedAt!: number;
}

/** The schema of `tq_cancellation`. */
export function cancellationSchema(
  databaseType: QueueDatabaseType,
  prefix: string,
): EntitySchema<TableQueueCancellation> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueCancellation>({
    name: TableQueueCancellation.name,
    target: TableQueueCancellation,
    tableName: `${prefix}cancellation`,
    columns: {
      jobId: { ...types.id, name: 'job_id', primary: true },
      requestedAt: { ...types.time, name: 'requested_at' },
    },
  });
}

import { EntitySchema } from 'typeorm';

import { NAME_LENGTH } from '../definition/names.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/**
 * One row of `tq_failure`: a failed job of the history.
 *
 * A table instead of an index on `tq_history`, so that succeeded jobs do not pay for it. The same transactions write
 * and delete the job's row there. See docs/decisions/0050.
 */
export class TableQueueFailure {
  readonly jobId!: string;
  readonly queue!: string;
  /** The same as in the history. */
  readonly finishedAt!: number;
}

/** The schema of `tq_failure`. */
export function failureSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueFailure> {
  const types = columnTypes[databaseType];
  const tableName = `${prefix}failure`;
  return new EntitySchema<TableQueueFailure>({
    name: TableQueueFailure.name,
    target: TableQueueFailure,
    tableName,
    columns: {
      jobId: { ...types.id, name: 'job_id', primary: true },
      queue: { ...types.name(NAME_LENGTH.queue), name: 'queue' },
      finishedAt: { ...types.time, name: 'finished_at' },
    },
    indices: [
      { name: `${tableName}_time`, columns: ['finishedAt', 'jobId', 'queue'] },
      { name: `${tableName}_queue`, columns: ['queue', 'finishedAt', 'jobId'] },
    ],
  });
}

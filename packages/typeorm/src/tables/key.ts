import { EntitySchema } from 'typeorm';

import { NAME_LENGTH } from '../definition/names.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/**
 * One row of `tq_key`: the key of a live or finished job.
 *
 * A table instead of an index on `tq_job.job_key`, so that jobs without a key do not pay for it. See
 * docs/decisions/0034.
 */
export class TableQueueKey {
  readonly key!: string;
  readonly jobId!: string;
}

/** The schema of `tq_key`. */
export function keySchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueKey> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueKey>({
    name: TableQueueKey.name,
    target: TableQueueKey,
    tableName: `${prefix}key`,
    columns: {
      key: { ...types.text(NAME_LENGTH.key), name: 'job_key', primary: true },
      jobId: { ...types.id, name: 'job_id', primary: true },
    },
  });
}

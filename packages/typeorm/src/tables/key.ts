import { EntitySchema } from 'typeorm';

import { NAME_LENGTH } from '../definition/names.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/**
 * One row of `tq_key`: the key of one job, live or finished.
 *
 * A table of its own instead of an index on `tq_job.job_key`, so that a job without a key pays nothing: the index
 * holds an entry for each NULL too and took 7-12 % of the insert and delete rate on MariaDB 10.11, 10 % on MySQL 9.7
 * (60,000 rows in statements of 500, six runs each, 2026-11-20).
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

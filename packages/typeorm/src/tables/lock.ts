import { EntitySchema } from 'typeorm';

import { NAME_LENGTH } from '../definition/names.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/**
 * One row of `tq_lock`: a named lock, held until its lease ends. Only where the server's named locks cannot be used.
 */
export class TableQueueLock {
  readonly name!: string;
  /** A random id of the holder. */
  readonly holder!: string;
  readonly leaseUntil!: number;
}

/** The schema of `tq_lock`. */
export function lockSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueLock> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueLock>({
    name: TableQueueLock.name,
    target: TableQueueLock,
    tableName: `${prefix}lock`,
    columns: {
      name: { ...types.text(NAME_LENGTH.lock), name: 'name', primary: true },
      holder: { ...types.name(36), name: 'holder' },
      leaseUntil: { ...types.time, name: 'lease_until' },
    },
  });
}

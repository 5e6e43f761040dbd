import { EntitySchema } from 'typeorm';

import { NAME_LENGTH } from '../definition/names.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/**
 * One row of `tq_lock`: a named lock that is held, for as long as its lease lasts. Only where the server's own named
 * locks are of no use.
 */
export class TableQueueLock {
  readonly name!: string;
  /** Drawn at random by whoever holds it. */
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

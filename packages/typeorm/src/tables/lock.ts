import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/**
 * One row of `tq_lock`: a named lock, held until its lease ends. Only where the server's named locks cannot be used.
 */
export class TableQueueLock {
  readonly name!: string;
  /** A random id of the holder. */
  readonly holder!: string;
  readonly leaseUntil!: number;
}

export const lockTable = defineTable(TableQueueLock, 'lock', (types) => ({
  columns: {
    name: { ...types.text(NAME_LENGTH.lock), name: 'name', primary: true },
    holder: { ...types.name(36), name: 'holder' },
    leaseUntil: { ...types.time, name: 'lease_until' },
  },
}));

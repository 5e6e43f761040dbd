import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** One row of `tq_order_key`: an order key with a head, the only job of the key that may run. */
export class TableQueueOrderKey {
  /** The name of the jobs. */
  readonly name!: string;
  readonly orderKey!: string;
  /** The head. */
  readonly jobId!: string;
  /** Since when the key is blocked, because its head has failed; null if the head lives. */
  readonly blockedAt!: number | null;
}

export const orderKeyTable = defineTable(TableQueueOrderKey, 'order_key', (types) => ({
  columns: {
    name: { ...types.name(NAME_LENGTH.job), name: 'name', primary: true },
    orderKey: { ...types.text(NAME_LENGTH.key), name: 'order_key', primary: true },
    jobId: { ...types.id, name: 'job_id' },
    blockedAt: { ...types.time, name: 'blocked_at', nullable: true },
  },
  indices: { blocked: ['blockedAt'] },
}));

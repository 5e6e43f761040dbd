import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

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

export const keyTable = defineTable(TableQueueKey, 'key', (types) => ({
  columns: {
    key: { ...types.text(NAME_LENGTH.key), name: 'job_key', primary: true },
    jobId: { ...types.id, name: 'job_id', primary: true },
  },
}));

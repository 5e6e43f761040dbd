import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** One row of `tq_ordered`: a job with an order that waits until it is the head of its key. */
export class TableQueueOrderedJob {
  /** Counted up by the database: a job that was committed before another was enqueued has a lower one. */
  readonly place!: number;
  readonly jobId!: string;
  /** The name of the job. */
  readonly name!: string;
  readonly orderKey!: string;
}

export const orderedTable = defineTable(TableQueueOrderedJob, 'ordered', (types) => ({
  columns: {
    place: { ...types.counter, name: 'place', primary: true },
    jobId: { ...types.id, name: 'job_id' },
    name: { ...types.name(NAME_LENGTH.job), name: 'name' },
    orderKey: { ...types.text(NAME_LENGTH.key), name: 'order_key' },
  },
  indices: { key: ['name', 'orderKey', 'place'], job: ['jobId'] },
}));

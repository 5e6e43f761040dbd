import { defineTable } from './table.js';

/** One row of `tq_cancellation`: the request to cancel a running job. */
export class TableQueueCancellation {
  readonly jobId!: string;
  readonly requestedAt!: number;
}

export const cancellationTable = defineTable(TableQueueCancellation, 'cancellation', (types) => ({
  columns: {
    jobId: { ...types.id, name: 'job_id', primary: true },
    requestedAt: { ...types.time, name: 'requested_at' },
  },
}));

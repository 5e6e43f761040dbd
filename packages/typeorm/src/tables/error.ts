import { defineTable } from './table.js';

/** One row of `tq_error`: the error of a failed attempt of a live or finished job. */
export class TableQueueErrorRow {
  readonly jobId!: string;
  readonly attempt!: number;
  /** When the attempt started. */
  readonly claimedAt!: number;
  readonly failedAt!: number;
  readonly error!: string;
}

export const errorTable = defineTable(TableQueueErrorRow, 'error', (types) => ({
  columns: {
    jobId: { ...types.id, name: 'job_id', primary: true },
    attempt: { ...types.count, name: 'attempt', primary: true },
    claimedAt: { ...types.time, name: 'claimed_at' },
    failedAt: { ...types.time, name: 'failed_at' },
    error: { ...types.longText, name: 'error' },
  },
}));

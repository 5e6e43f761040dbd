import { defineTable } from './table.js';

/**
 * One row of `tq_expiry`: a job with `expiresIn`, from its enqueue until the reaper has checked it. Jobs without have
 * none.
 */
export class TableQueueExpiry {
  readonly jobId!: string;
  /** When the reaper checks whether the job has expired: at its `expires_at`, or later if it was running then. */
  readonly checkAt!: number;
}

export const expiryTable = defineTable(TableQueueExpiry, 'expiry', (types) => ({
  columns: {
    jobId: { ...types.id, name: 'job_id', primary: true },
    checkAt: { ...types.time, name: 'check_at' },
  },
  indices: { due: ['checkAt', 'jobId'] },
}));

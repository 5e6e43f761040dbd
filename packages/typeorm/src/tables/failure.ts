import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/**
 * One row of `tq_failure`: a failed job of the history.
 *
 * A table instead of an index on `tq_history`, so that succeeded jobs do not pay for it. The same transactions write
 * and delete the job's row there. See docs/decisions/0050.
 */
export class TableQueueFailure {
  readonly jobId!: string;
  readonly queue!: string;
  /** The same as in the history. */
  readonly finishedAt!: number;
}

export const failureTable = defineTable(TableQueueFailure, 'failure', (types) => ({
  columns: {
    jobId: { ...types.id, name: 'job_id', primary: true },
    queue: { ...types.name(NAME_LENGTH.queue), name: 'queue' },
    finishedAt: { ...types.time, name: 'finished_at' },
  },
  indices: { time: ['finishedAt', 'jobId', 'queue'], queue: ['queue', 'finishedAt', 'jobId'] },
}));

import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** One row of `tq_queue`: the pause and the limits of a queue. A queue without a row has none. */
export class TableQueueQueueRow {
  readonly queue!: string;
  /** When it was paused; null if it is not paused. */
  readonly pausedAt!: number | null;
  /** How many of its jobs run at a time, in all processes; null for no limit. */
  readonly concurrency!: number | null;
  /** How many jobs of each tenant run at a time, in all processes; null for no limit. */
  readonly tenantConcurrency!: number | null;
  /** How many of its jobs start within a window, in all processes; null for no limit. */
  readonly rateJobs!: number | null;
  /** The length of that window, in ms. */
  readonly rateWindow!: number | null;
  /** How many of its jobs may wait before an enqueue is refused; null for no limit. */
  readonly maxLength!: number | null;
  /** When the current window started. */
  readonly windowStartedAt!: number;
  /** How many jobs have started in it. */
  readonly windowJobs!: number;
}

export const queueTable = defineTable(TableQueueQueueRow, 'queue', (types) => ({
  columns: {
    queue: { ...types.name(NAME_LENGTH.queue), name: 'queue', primary: true },
    pausedAt: { ...types.time, name: 'paused_at', nullable: true },
    concurrency: { ...types.count, name: 'concurrency', nullable: true },
    tenantConcurrency: { ...types.count, name: 'tenant_concurrency', nullable: true },
    rateJobs: { ...types.count, name: 'rate_jobs', nullable: true },
    rateWindow: { ...types.time, name: 'rate_window', nullable: true },
    maxLength: { ...types.count, name: 'max_length', nullable: true },
    windowStartedAt: { ...types.time, name: 'window_started_at', default: 0 },
    windowJobs: { ...types.count, name: 'window_jobs', default: 0 },
  },
}));

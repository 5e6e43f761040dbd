import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** Longer than the longest limits. */
const DECLARED_LENGTH = 400;

/** One row of `tq_queue`: the pause and the limits of a queue. A queue without a row has none. */
export class TableQueueQueueRow {
  readonly queue!: string;
  /** When it was paused; null if it is not paused. */
  readonly pausedAt!: number | null;
  /** How many of its jobs run at a time, in all processes; null for no limit. */
  readonly concurrency!: number | null;
  /** How many jobs of each tenant run at a time, in all processes; null for no limit. */
  readonly tenantConcurrency!: number | null;
  /** How many of its jobs start in each window, in all processes; null for no limit. */
  readonly rateJobs!: number | null;
  /** The length of that window, in ms. */
  readonly rateWindow!: number | null;
  /** How many jobs can start at once. */
  readonly rateBurst!: number | null;
  /** When all tokens of its rate are free again, in µs: see `Rate`. Without a rate it alternates between 0 and 1. */
  readonly rateFullAt!: number;
  /** How many jobs of each tenant start in each window, in all processes; null for no limit. */
  readonly tenantRateJobs!: number | null;
  /** The length of that window, in ms. */
  readonly tenantRateWindow!: number | null;
  /** How many jobs of a tenant can start at once. */
  readonly tenantRateBurst!: number | null;
  /** How many of its jobs may wait before an enqueue is refused; null for no limit. */
  readonly maxLength!: number | null;
  /** The limits that a worker has stored last because its options declare them, as JSON; null without any. */
  readonly declaredLimits!: string | null;
  /**
   * The names of its jobs that only code can enqueue, in order and separated by commas; null without any. Workers store
   * it, and the procedure `tq_enqueue` reads it.
   */
  readonly codeOnlyJobs!: string | null;
}

export const queueTable = defineTable(TableQueueQueueRow, 'queue', (types) => ({
  columns: {
    queue: { ...types.name(NAME_LENGTH.queue), name: 'queue', primary: true },
    pausedAt: { ...types.time, name: 'paused_at', nullable: true },
    concurrency: { ...types.count, name: 'concurrency', nullable: true },
    tenantConcurrency: { ...types.count, name: 'tenant_concurrency', nullable: true },
    rateJobs: { ...types.count, name: 'rate_jobs', nullable: true },
    rateWindow: { ...types.time, name: 'rate_window', nullable: true },
    rateBurst: { ...types.count, name: 'rate_burst', nullable: true },
    rateFullAt: { ...types.time, name: 'rate_full_at', default: 0 },
    tenantRateJobs: { ...types.count, name: 'tenant_rate_jobs', nullable: true },
    tenantRateWindow: { ...types.time, name: 'tenant_rate_window', nullable: true },
    tenantRateBurst: { ...types.count, name: 'tenant_rate_burst', nullable: true },
    maxLength: { ...types.count, name: 'max_length', nullable: true },
    declaredLimits: { ...types.name(DECLARED_LENGTH), name: 'declared_limits', nullable: true },
    codeOnlyJobs: { ...types.longText, name: 'code_only_jobs', nullable: true },
  },
}));

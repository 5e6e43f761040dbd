import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** One row of `tq_throughput`: the attempts that ended within a minute, in all processes. Times in ms. */
export class TableQueueThroughput {
  /** The start of the minute. */
  readonly minute!: number;
  /** Empty: all queues together. */
  readonly queue!: string;
  readonly succeeded!: number;
  /** Failed jobs that are not retried. */
  readonly failed!: number;
  readonly retried!: number;
  /** Jobs that expired before they started. */
  readonly expired!: number;
  /** The sum of the times from due to started. */
  readonly latencySum!: number;
  /** The longest of these times. */
  readonly latencyMax!: number;
  /** The sum of the durations. */
  readonly runSum!: number;
  /** The longest duration. */
  readonly runMax!: number;
}

/** The primary key starts with the minute, for reads and deletes. */
export const throughputTable = defineTable(TableQueueThroughput, 'throughput', (types) => ({
  columns: {
    minute: { ...types.time, name: 'began_at', primary: true },
    queue: { ...types.name(NAME_LENGTH.queue), name: 'queue', primary: true },
    succeeded: { ...types.count, name: 'succeeded' },
    failed: { ...types.count, name: 'failed' },
    retried: { ...types.count, name: 'retried' },
    expired: { ...types.count, name: 'expired' },
    latencySum: { ...types.time, name: 'latency_sum' },
    latencyMax: { ...types.time, name: 'latency_max' },
    runSum: { ...types.time, name: 'run_sum' },
    runMax: { ...types.time, name: 'run_max' },
  },
}));

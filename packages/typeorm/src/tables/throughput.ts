import { EntitySchema } from 'typeorm';

import { NAME_LENGTH } from '../definition/names.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** One row of `tq_throughput`: the attempts of a queue's jobs that ended within a minute, in all processes. Times in ms. */
export class TableQueueThroughput {
  /** When the minute began. */
  readonly minute!: number;
  readonly queue!: string;
  readonly succeeded!: number;
  /** For good. */
  readonly failed!: number;
  readonly retried!: number;
  /** From when they were due to when they began: of all together, and the longest. */
  readonly latencySum!: number;
  readonly latencyMax!: number;
  /** How long they ran: all together, and the longest. */
  readonly runSum!: number;
  readonly runMax!: number;
}

/** The schema of `tq_throughput`. By the minute first: reading and deleting go along it. */
export function throughputSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueThroughput> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueThroughput>({
    name: TableQueueThroughput.name,
    target: TableQueueThroughput,
    tableName: `${prefix}throughput`,
    columns: {
      minute: { ...types.time, name: 'began_at', primary: true },
      queue: { ...types.name(NAME_LENGTH.queue), name: 'queue', primary: true },
      succeeded: { ...types.count, name: 'succeeded' },
      failed: { ...types.count, name: 'failed' },
      retried: { ...types.count, name: 'retried' },
      latencySum: { ...types.time, name: 'latency_sum' },
      latencyMax: { ...types.time, name: 'latency_max' },
      runSum: { ...types.time, name: 'run_sum' },
      runMax: { ...types.time, name: 'run_max' },
    },
  });
}

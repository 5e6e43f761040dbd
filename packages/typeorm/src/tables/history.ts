import { EntitySchema } from 'typeorm';

import { NAME_LENGTH } from '../definition/names.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** The states of a finished job. */
export const OUTCOMES = ['succeeded', 'failed', 'cancelled'] as const;

/** How a job ended. */
export type Outcome = (typeof OUTCOMES)[number];

/** One row of `tq_history`: a finished job. */
export class TableQueueHistory {
  readonly id!: string;
  readonly queue!: string;
  readonly state!: Outcome;
  /** The worker that finished it; 0 when it was cancelled. */
  readonly owner!: number;
  readonly name!: string;
  readonly key!: string | null;
  /** JSON text; null for a job without a payload. */
  readonly payload!: string | null;
  /** The version of the definition that made the payload. */
  readonly payloadVersion!: number;
  readonly priority!: number;
  readonly attempt!: number;
  readonly failures!: number;
  /** What the handler returned, as JSON text; null when it returned nothing. */
  readonly result!: string | null;
  /** The error it failed with, or the last one on the way. */
  readonly error!: string | null;
  /** What its handler has told last, as JSON text. */
  readonly progress!: string | null;
  /** Who it was for. */
  readonly tenant!: string | null;
  /** What ties it to the trace it was enqueued in. */
  readonly trace!: string | null;
  readonly createdAt!: number;
  readonly runAt!: number;
  readonly claimedAt!: number | null;
  readonly finishedAt!: number;
}

/** What the history may be partitioned by: the day, in UTC, on which a job finished. */
export type HistoryPartition = 'day';

/** The schema of `tq_history`. A partitioned table's primary key has to contain what it is partitioned by. */
export function historySchema(
  databaseType: QueueDatabaseType,
  prefix: string,
  partition?: HistoryPartition,
): EntitySchema<TableQueueHistory> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueHistory>({
    name: TableQueueHistory.name,
    target: TableQueueHistory,
    tableName: `${prefix}history`,
    columns: {
      id: { ...types.id, name: 'id', primary: true },
      queue: { ...types.name(NAME_LENGTH.queue), name: 'queue' },
      state: { ...types.oneOf(OUTCOMES), name: 'state' },
      owner: { ...types.count, name: 'owner' },
      name: { ...types.name(NAME_LENGTH.job), name: 'name' },
      key: { ...types.text(NAME_LENGTH.key), name: 'job_key', nullable: true },
      payload: { ...types.longText, name: 'payload', nullable: true },
      payloadVersion: { ...types.version, name: 'payload_version', default: 1 },
      priority: { ...types.rank, name: 'priority' },
      attempt: { ...types.count, name: 'attempt' },
      failures: { ...types.count, name: 'failures' },
      result: { ...types.longText, name: 'result', nullable: true },
      error: { ...types.longText, name: 'error', nullable: true },
      progress: { ...types.longText, name: 'progress', nullable: true },
      tenant: { ...types.text(NAME_LENGTH.tenant), name: 'tenant', nullable: true },
      trace: { ...types.longText, name: 'trace', nullable: true },
      createdAt: { ...types.time, name: 'created_at' },
      runAt: { ...types.time, name: 'run_at' },
      claimedAt: { ...types.time, name: 'claimed_at', nullable: true },
      finishedAt: { ...types.time, name: 'finished_at', primary: partition === 'day' },
    },
  });
}

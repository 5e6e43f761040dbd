import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** The states of a finished job. */
export const OUTCOMES = ['succeeded', 'failed', 'cancelled'] as const;

/** The outcome of a finished job. */
export type Outcome = (typeof OUTCOMES)[number];

/** One row of `tq_history`: a finished job. */
export class TableQueueHistory {
  readonly id!: string;
  readonly queue!: string;
  readonly state!: Outcome;
  /** The worker that completed it; 0 if no worker did. */
  readonly owner!: number;
  readonly name!: string;
  readonly key!: string | null;
  /** The unique key that a retry takes again: it lasted until the job was finished. */
  readonly uniqueKey!: string | null;
  /** JSON text; null for a job without a payload. */
  readonly payload!: string | null;
  /** The version of the definition that enqueued it. */
  readonly payloadVersion!: number;
  readonly priority!: number;
  readonly attempt!: number;
  readonly failures!: number;
  /** The return value of the handler, as JSON text; null for undefined. */
  readonly result!: string | null;
  /** The error of the last failed attempt. */
  readonly error!: string | null;
  /** The last progress that the handler reported, as JSON text. */
  readonly progress!: string | null;
  /** The tenant (customer) it belonged to. */
  readonly tenant!: string | null;
  /** The trace context it was enqueued in. */
  readonly trace!: string | null;
  readonly createdAt!: number;
  readonly runAt!: number;
  readonly claimedAt!: number | null;
  readonly finishedAt!: number;
}

export const historyTable = defineTable(TableQueueHistory, 'history', (types) => ({
  columns: {
    id: { ...types.id, name: 'id', primary: true },
    queue: { ...types.name(NAME_LENGTH.queue), name: 'queue' },
    state: { ...types.oneOf(OUTCOMES), name: 'state' },
    owner: { ...types.count, name: 'owner' },
    name: { ...types.name(NAME_LENGTH.job), name: 'name' },
    key: { ...types.text(NAME_LENGTH.key), name: 'job_key', nullable: true },
    uniqueKey: { ...types.text(NAME_LENGTH.key), name: 'unique_key', nullable: true },
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
    finishedAt: { ...types.time, name: 'finished_at' },
  },
}));

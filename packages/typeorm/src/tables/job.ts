import { EntitySchema } from 'typeorm';

import { NAME_LENGTH } from '../definition/names.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** The states of a job that is not finished. */
export const LIVE_STATES = ['waiting', 'scheduled', 'ready', 'running'] as const;

/** `waiting` waits for a group of jobs, `scheduled` for its time, `ready` for a worker, `running` for its handler. */
export type LiveState = (typeof LIVE_STATES)[number];

/** One row of `tq_job`: a job that is not finished. Read it freely; change it only through `TableQueue`. */
export class TableQueueJob {
  readonly id!: string;
  readonly queue!: string;
  readonly state!: LiveState;
  /** The worker that runs it; while it is ready the lane of its tenant; otherwise 0. */
  readonly owner!: number;
  /** Its place in its lane: see `store/lane.ts`. */
  readonly position!: number;
  readonly name!: string;
  readonly key!: string | null;
  /** The unique key it holds at present; see `TableQueueUnique`. */
  readonly uniqueKey!: string | null;
  /** JSON text; null for a job without a payload. */
  readonly payload!: string | null;
  /** The version of the definition that made the payload. */
  readonly payloadVersion!: number;
  /** Smaller runs first. */
  readonly priority!: number;
  /** How often it was claimed. Never decreases. */
  readonly attempt!: number;
  /** How many attempts ended in an error and were charged. */
  readonly failures!: number;
  /** How often in a row its worker died while it ran. */
  readonly crashes!: number;
  readonly lastError!: string | null;
  /** What its handler has told last, as JSON text. */
  readonly progress!: string | null;
  /** The group it is a member of; null for a job of none. */
  readonly groupId!: string | null;
  /** Who it is for: tenants of a queue take turns. */
  readonly tenant!: string | null;
  /** The number of the lane in which it stands while it is ready: 0 without a tenant. */
  readonly lane!: number;
  /** What ties it to the trace it was enqueued in, as an `Instrumentation` has made it; null without one. */
  readonly trace!: string | null;
  readonly createdAt!: number;
  /** When it was, or will be, due. */
  readonly runAt!: number;
  /**
   * When it was claimed last; 0 before it ever was. Not null, so that a claim changes no column's size: InnoDB changes the
   * row where it is then, and otherwise writes it anew and splits pages that have no room for what it grows by.
   */
  readonly claimedAt!: number;
}

/** The schema of `tq_job`. */
export function jobSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueJob> {
  const types = columnTypes[databaseType];
  const tableName = `${prefix}job`;
  return new EntitySchema<TableQueueJob>({
    name: TableQueueJob.name,
    target: TableQueueJob,
    tableName,
    columns: {
      id: { ...types.id, name: 'id', primary: true },
      queue: { ...types.name(NAME_LENGTH.queue), name: 'queue' },
      state: { ...types.oneOf(LIVE_STATES), name: 'state' },
      owner: { ...types.count, name: 'owner', default: 0 },
      position: { ...types.time, name: 'position' },
      name: { ...types.name(NAME_LENGTH.job), name: 'name' },
      key: { ...types.text(NAME_LENGTH.key), name: 'job_key', nullable: true },
      uniqueKey: { ...types.text(NAME_LENGTH.key), name: 'unique_key', nullable: true },
      payload: { ...types.longText, name: 'payload', nullable: true },
      payloadVersion: { ...types.version, name: 'payload_version', default: 1 },
      priority: { ...types.rank, name: 'priority', default: 0 },
      attempt: { ...types.count, name: 'attempt', default: 0 },
      failures: { ...types.count, name: 'failures', default: 0 },
      crashes: { ...types.count, name: 'crashes', default: 0 },
      lastError: { ...types.longText, name: 'last_error', nullable: true },
      progress: { ...types.longText, name: 'progress', nullable: true },
      groupId: { ...types.id, name: 'group_id', nullable: true },
      tenant: { ...types.text(NAME_LENGTH.tenant), name: 'tenant', nullable: true },
      lane: { ...types.count, name: 'lane', default: 0 },
      trace: { ...types.longText, name: 'trace', nullable: true },
      createdAt: { ...types.time, name: 'created_at' },
      runAt: { ...types.time, name: 'run_at' },
      claimedAt: { ...types.time, name: 'claimed_at', default: 0 },
    },
    indices: [{ name: `${tableName}_lane`, columns: ['queue', 'state', 'owner', 'position', 'id'] }],
  });
}

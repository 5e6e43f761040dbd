import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** The states of an unfinished job. */
export const LIVE_STATES = ['waiting', 'scheduled', 'ready', 'running'] as const;

/**
 * A job waits for a group (`waiting`), for its time (`scheduled`), for a worker (`ready`) or for its handler
 * (`running`).
 */
export type LiveState = (typeof LIVE_STATES)[number];

/** The states of a finished job. */
export const OUTCOMES = ['succeeded', 'failed', 'cancelled', 'expired'] as const;

/** The outcome of a finished job. */
export type Outcome = (typeof OUTCOMES)[number];

/** Whether a job of this state is unfinished. */
export function isLive(state: LiveState | Outcome): state is LiveState {
  return (LIVE_STATES as readonly string[]).includes(state);
}

/** One row of `tq_job`: a job from its enqueue until it is pruned. Read it; change it only through `TableQueue`. */
export class TableQueueJob {
  readonly id!: string;
  readonly queue!: string;
  readonly state!: LiveState | Outcome;
  /** The worker that runs it, or has finished it; otherwise 0. */
  readonly owner!: number;
  /** Its part of the jobs of its queue and state: see `store/base/order/lane.ts`. */
  readonly lane!: number;
  /** Its position in its lane. */
  readonly position!: number;
  readonly name!: string;
  readonly key!: string | null;
  /** The unique key it holds, see `TableQueueUnique`; if it is finished, the one that a retry takes again. */
  readonly uniqueKey!: string | null;
  /** The key of its order; null for a job without one. See `TableQueueOrderKey`. */
  readonly orderKey!: string | null;
  /** Whether that key is blocked if the job fails: 1 or 0; null for a job without an order. */
  readonly orderBlocks!: number | null;
  /** 1 from when it is the head of that key, 0 before; null for a job without an order. */
  readonly orderHead!: number | null;
  /** JSON text, or what a codec has written; null for a job without a payload. */
  readonly payload!: string | null;
  /** The version of the definition that enqueued it. */
  readonly payloadVersion!: number;
  /** Jobs with lower numbers run first. */
  readonly priority!: number;
  /** The number of its last attempt. Never decreases. */
  readonly attempt!: number;
  /** How many attempts failed. */
  readonly failures!: number;
  /** How often in a row its worker died during an attempt. */
  readonly crashes!: number;
  /** The error of the last failed attempt. */
  readonly lastError!: string | null;
  /** The last progress that its handler reported, as JSON text or encoded. */
  readonly progress!: string | null;
  /** The return value of its handler, as JSON text. */
  readonly result!: string | null;
  /** The group that contains it as a member; null if there is none. */
  readonly groupId!: string | null;
  /** The tenant (customer) it belongs to. */
  readonly tenant!: string | null;
  /** The number of its tenant's lane, which it has while it is ready: 0 without a tenant. */
  readonly tenantLane!: number;
  /** The trace context it was enqueued in, from the `Instrumentation`; null without one. */
  readonly trace!: string | null;
  readonly createdAt!: number;
  /** When it was, or will be, due. */
  readonly runAt!: number;
  /**
   * When it expires if it has not started: see `TableQueueExpiry`. Null for a job that cannot expire, and from the end
   * of its first attempt on.
   */
  readonly expiresAt!: number | null;
  /**
   * When it was last claimed; 0 before the first claim. Not null: a claim must not change the size of the row. See
   * docs/decisions/0005.
   */
  readonly claimedAt!: number;
  /** When it was finished; 0 before. */
  readonly finishedAt!: number;
}

export const jobTable = defineTable(TableQueueJob, 'job', (types) => ({
  columns: {
    id: { ...types.id, name: 'id', primary: true },
    queue: { ...types.name(NAME_LENGTH.queue), name: 'queue' },
    state: { ...types.oneOf([...LIVE_STATES, ...OUTCOMES]), name: 'state' },
    owner: { ...types.count, name: 'owner', default: 0 },
    lane: { ...types.count, name: 'lane', default: 0 },
    position: { ...types.time, name: 'position' },
    name: { ...types.name(NAME_LENGTH.job), name: 'name' },
    key: { ...types.text(NAME_LENGTH.key), name: 'job_key', nullable: true },
    uniqueKey: { ...types.text(NAME_LENGTH.key), name: 'unique_key', nullable: true },
    orderKey: { ...types.text(NAME_LENGTH.key), name: 'order_key', nullable: true },
    orderBlocks: { ...types.kind, name: 'order_blocks', nullable: true },
    orderHead: { ...types.kind, name: 'order_head', nullable: true },
    payload: { ...types.longText, name: 'payload', nullable: true },
    payloadVersion: { ...types.version, name: 'payload_version', default: 1 },
    priority: { ...types.rank, name: 'priority', default: 0 },
    attempt: { ...types.count, name: 'attempt', default: 0 },
    failures: { ...types.count, name: 'failures', default: 0 },
    crashes: { ...types.count, name: 'crashes', default: 0 },
    lastError: { ...types.longText, name: 'last_error', nullable: true },
    progress: { ...types.longText, name: 'progress', nullable: true },
    result: { ...types.longText, name: 'result', nullable: true },
    groupId: { ...types.id, name: 'group_id', nullable: true },
    tenant: { ...types.text(NAME_LENGTH.tenant), name: 'tenant', nullable: true },
    tenantLane: { ...types.count, name: 'tenant_lane', default: 0 },
    trace: { ...types.longText, name: 'trace', nullable: true },
    createdAt: { ...types.time, name: 'created_at' },
    runAt: { ...types.time, name: 'run_at' },
    expiresAt: { ...types.time, name: 'expires_at', nullable: true },
    claimedAt: { ...types.time, name: 'claimed_at', default: 0 },
    finishedAt: { ...types.time, name: 'finished_at', default: 0 },
  },
  indices: { lane: ['queue', 'state', 'lane', 'position', 'id'] },
}));

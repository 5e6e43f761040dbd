import type { Row } from '../../../engine/operation.js';
import type { Dialect } from '../../../engine/dialect.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import { hasExpired } from './has-expired.js';

/** The three values that fence every transition of a running job: a later attempt has others. */
export interface Fence {
  readonly id: Buffer;
  readonly owner: number;
  readonly attempt: number;
}

/** A job as a claim returns it. Times are in ms by the database's clock. */
export interface ClaimedJob extends Fence {
  readonly queue: string;
  readonly name: string;
  readonly key: string | null;
  /** The unique key it still holds. */
  readonly uniqueKey: string | null;
  /** JSON text; null for a job without a payload. */
  readonly payload: string | null;
  readonly payloadVersion: number;
  readonly priority: number;
  readonly failures: number;
  /** How often in a row its worker died while the job ran. */
  readonly crashes: number;
  /** The group it is a member of. */
  readonly groupId: Buffer | null;
  /** The key of its order. */
  readonly orderKey: string | null;
  readonly tenant: string | null;
  /** The trace context it was enqueued in. */
  readonly trace: string | null;
  readonly createdAt: number;
  readonly runAt: number;
  /** Whether it expires unless it starts in time: no attempt has run before. */
  readonly canExpire: boolean;
}

/** The columns that a claim reads; the queue and the owner are known. */
export function claimedColumns(dialect: Pick<Dialect, 'now'>): Fragment {
  return sql`id, attempt, name, job_key, unique_key, payload, payload_version, priority, failures,
  crashes, group_id, order_key, tenant, trace, created_at, run_at, ${hasExpired(dialect)} AS expired`;
}

/** Whether a row with `claimedColumns` was of an expired job when it was read. */
export function isExpired({ expired }: Row): boolean {
  return Number(expired) === 1;
}

/**
 * Makes a job of a row with `claimedColumns`. Drivers return a BIGINT as a string or a number.
 *
 * @param attempt the number of the attempt that starts with this claim.
 */
export function toClaimedJob(row: Row, attempt: number, claim: { queue: string; owner: number }): ClaimedJob {
  return new JobOfRow(row, attempt, claim);
}

/** A class, not a literal: see docs/decisions/0032. */
class JobOfRow implements ClaimedJob {
  readonly id: Buffer;
  readonly owner: number;
  readonly queue: string;
  readonly name: string;
  readonly key: string | null;
  readonly uniqueKey: string | null;
  readonly payload: string | null;
  readonly payloadVersion: number;
  readonly priority: number;
  readonly failures: number;
  readonly crashes: number;
  readonly groupId: Buffer | null;
  readonly orderKey: string | null;
  readonly tenant: string | null;
  readonly trace: string | null;
  readonly createdAt: number;
  readonly runAt: number;
  readonly canExpire: boolean;

  constructor(
    row: Row,
    readonly attempt: number,
    { queue, owner }: { queue: string; owner: number },
  ) {
    this.id = row.id as Buffer;
    this.owner = owner;
    this.queue = queue;
    this.name = row.name as string;
    this.key = row.job_key as string | null;
    this.uniqueKey = row.unique_key as string | null;
    this.payload = row.payload as string | null;
    this.payloadVersion = Number(row.payload_version);
    this.priority = Number(row.priority);
    this.failures = Number(row.failures);
    this.crashes = Number(row.crashes);
    this.groupId = row.group_id as Buffer | null;
    this.orderKey = row.order_key as string | null;
    this.tenant = row.tenant as string | null;
    this.trace = row.trace as string | null;
    this.createdAt = Number(row.created_at);
    this.runAt = Number(row.run_at);
    this.canExpire = row.expired !== null;
  }
}

/** The order in which jobs of one claim start. For databases that return them in another order. */
export function byPriority(a: ClaimedJob, b: ClaimedJob): number {
  return a.priority - b.priority || a.runAt - b.runAt || Buffer.compare(a.id, b.id);
}

import type { Engine } from '../../engine/engine.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import type { SortKey } from '../base/order/sort-key.js';
import type { TenantLanes } from './tenant-lanes.js';

/** What to claim. */
export interface ClaimRequest {
  readonly queue: string;
  readonly owner: number;
  /** Counts this owner's claims. It marks the jobs of this claim, so that exactly these can be returned. */
  readonly number: number;
  /** How many jobs at most. */
  readonly limit: number;
  /** The low-water mark: no ready job without a tenant is expected before it. It only saves time. */
  readonly from: SortKey;
  /** Whether the queue has limits over all processes. */
  readonly isLimited: boolean;
  /** The lanes of tenants to claim from, in their order. Undefined: only jobs without a tenant are claimed. */
  readonly tenantLanes: TenantLanes | undefined;
}

/** What a claim found in the lanes of tenants. */
export interface RoundRobinProgress {
  /** The lane that had the last turn; undefined where none had. */
  readonly lastLane: number | undefined;
  /** The lanes it has read, and the sort key from which there may be more jobs; undefined where there are none. */
  readonly visited: ReadonlyMap<number, SortKey | undefined>;
  /** The lanes of tenants at their rate, and in how many ms each has a token again. */
  readonly limited: ReadonlyMap<number, number>;
  /** Whether another claim at once would find no jobs: there are no others, or they are locked. */
  readonly isExhausted: boolean;
  /** Whether jobs wait until a job of their tenant ends. */
  readonly isFull: boolean;
}

/** How many jobs a claim may take from a queue. */
export interface Admission {
  readonly admitted: number;
  /** In how many ms the rate admits more jobs. Undefined where all were admitted, or other jobs must end first. */
  readonly retryIn: number | undefined;
}

/** The jobs that a claim has taken from a lane. */
export interface TakenJobs {
  /** In their order. */
  readonly jobs: readonly ClaimedJob[];
  /** Ready jobs that have expired, at most `MOST_IDS`: the claim leaves them as they are, and the claimer ends them. */
  readonly expired: readonly Buffer[];
}

/** The result of a claim. */
export interface Claim extends Admission, TakenJobs {
  /** Undefined where only jobs without a tenant were claimed, or none were admitted. */
  readonly roundRobin?: RoundRobinProgress;
}

/**
 * A way to take ready jobs so that no two workers get the same one: ready → running, `attempt + 1`. Expired jobs are
 * not taken.
 *
 * When a claim throws, its outcome is unknown, and the worker does not know which jobs it has. So the claimer calls
 * `returnClaim` with the same request afterwards.
 */
export interface ClaimStrategy {
  readonly name: string;
  claim(engine: Engine, request: ClaimRequest): Promise<Claim>;
}

import type { Engine } from '../../engine/engine.js';
import type { ClaimedJob } from '../base/claimed-job.js';
import type { SortKey } from '../base/sort-key.js';
import type { LaneLook } from './tenant-lanes.js';
import type { Admission } from './admission.js';

/** What a claim asks for. */
export interface ClaimRequest {
  readonly queue: string;
  readonly owner: number;
  /** Counts this owner's claims. It marks the jobs of this one, so that they can be taken back. */
  readonly number: number;
  /** How many jobs at most. */
  readonly limit: number;
  /**
   * The low-water mark: the place before which no ready job is believed to be. Only saves time: see
   * `worker/backlog.ts`.
   */
  readonly from: SortKey;
  /** Whether the queue has limits over all processes. */
  readonly isLimited: boolean;
  /** The lanes whose turn comes, in their order. Undefined where only jobs without a tenant are to be claimed. */
  readonly turns: LaneLook | undefined;
}

/** What a claim has found of the lanes it was given. */
export interface TurnsTaken {
  /** The lane that had its turn last; undefined where none had. */
  readonly last: number | undefined;
  /** The lanes it has come by, and the place from which on there may be more jobs; undefined where there are none. */
  readonly left: ReadonlyMap<number, SortKey | undefined>;
  /** Whether another claim at once would bring nothing: there is no other job, or others hold those there are. */
  readonly bringsNoMore: boolean;
  /** Whether jobs wait for other jobs of their tenant to end. */
  readonly isFull: boolean;
}

/** What a claim brought. */
export interface Claim extends Admission {
  /** In their order. */
  readonly jobs: readonly ClaimedJob[];
  /** Undefined where only jobs without a tenant were claimed, or none were admitted. */
  readonly turns?: TurnsTaken;
}

/**
 * A way of taking ready jobs such that no two workers get the same one: ready → running, `attempt + 1`.
 *
 * When a claim throws, nobody knows whether it took jobs. They would stay with a worker that does not know of them, so
 * the claimer calls `takeBack` with the same request afterwards.
 */
export interface ClaimStrategy {
  readonly name: string;
  claim(engine: Engine, request: ClaimRequest): Promise<Claim>;
}

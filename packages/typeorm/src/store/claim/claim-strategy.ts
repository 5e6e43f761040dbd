import type { Engine } from '../../engine/engine.js';
import type { ClaimedJob } from '../claimed-job.js';
import type { Place } from '../place.js';
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
  readonly from: Place;
  /** Whether the queue has limits over all processes. */
  readonly isLimited: boolean;
  /**
   * Where jobs of tenants are known to wait: the lane that had its turn last. Undefined where none are; then only jobs
   * without a tenant are claimed.
   */
  readonly turn: number | undefined;
}

/** How far a claim has come in the turns of a queue's tenants. */
export interface Turns {
  /** The lane that had its turn last. */
  readonly last: number;
  /** Whether there was no other job that could be had. */
  readonly isOver: boolean;
  /** Whether jobs wait for other jobs of their tenants to end. */
  readonly isFull: boolean;
}

/** What a claim brought. */
export interface Claim extends Admission {
  /** In their order. */
  readonly jobs: readonly ClaimedJob[];
  /** Undefined where only jobs without a tenant were claimed, or none were admitted. */
  readonly turns?: Turns;
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

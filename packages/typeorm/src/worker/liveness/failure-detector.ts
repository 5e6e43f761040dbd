import type { MissingWorkers } from '../../store/base/locks/missing-workers.js';

/**
 * How often all workers together check one another, in ms, and the longest interval of each. Each of many workers
 * checks less often, so that the cost does not grow with the square of their number.
 */
const INTERVAL = 250;
const LONGEST_INTERVAL = 2_000;

/** What a failure detector works with. */
export interface FailureDetectorDependencies {
  /** How long a lock must have been free, in ms. */
  readonly gracePeriod: number;
  /** The id of this worker. */
  readonly owner: () => number;
  /** Whether its own lock is held: a worker that has just lost it cannot judge others. */
  readonly hasLock: () => boolean;
  /** The poll found this worker's own lock free. */
  readonly onOwnLockLost: () => void;
  /** Frees the jobs of workers whose locks were free for the grace period. Never rejects. */
  readonly reap: (ids: readonly number[]) => Promise<void>;
}

/**
 * Finds dead workers by their named locks: a lock that is free in two polls at least a grace period apart. A live
 * worker whose connection broke uses the grace period to advertise a new lock.
 *
 * Its question is part of the poll for jobs and needs no statement of its own. See decision 0042.
 */
export class FailureDetector {
  /** When each lock was first found free, by the monotonic clock. */
  private readonly missingSince = new Map<number, number>();
  private nextAt = 0;
  /** One reaping after the other, beside the claims. */
  private reaping = Promise.resolve();

  constructor(private readonly dependencies: FailureDetectorDependencies) {}

  /** Whether the next poll asks for missing workers. */
  get isDue(): boolean {
    if (!this.dependencies.hasLock()) {
      this.reset();
      return false;
    }
    return performance.now() >= this.nextAt;
  }

  /**
   * A poll has returned.
   *
   * @param sentAt when it was sent, by the monotonic clock.
   * @returns in how many ms to poll again; undefined where it does not matter.
   */
  applyPoll({ watched, missing }: MissingWorkers, sentAt: number): number | undefined {
    const { gracePeriod, owner, onOwnLockLost, reap } = this.dependencies;
    const own = owner();
    const now = performance.now();
    this.nextAt = now + Math.min(INTERVAL * Math.max(1, watched - 1), LONGEST_INTERVAL) * (0.5 + Math.random() / 2);
    if (missing.includes(own)) {
      onOwnLockLost();
      return undefined;
    }
    for (const id of this.missingSince.keys()) {
      if (!missing.includes(id)) {
        this.missingSince.delete(id);
      }
    }
    const dead = missing.filter((id) => sentAt >= (this.missingSince.get(id) ?? Infinity) + gracePeriod);
    dead.forEach((id) => this.missingSince.delete(id));
    if (dead.length > 0) {
      this.reaping = this.reaping.then(() => reap(dead));
    }
    missing
      .filter((id) => !dead.includes(id) && !this.missingSince.has(id))
      .forEach((id) => this.missingSince.set(id, now));
    if (this.missingSince.size === 0) {
      return undefined;
    }
    this.nextAt = Math.min(...this.missingSince.values()) + gracePeriod;
    return Math.max(0, this.nextAt - now);
  }

  /** Resolves when no reaping is under way. */
  async waitUntilReaped(): Promise<void> {
    await this.reaping;
  }

  /**
   * The database was away: others may have lost their locks with their connections, and need the grace period again.
   */
  reset(): void {
    this.missingSince.clear();
  }
}

import type { MissingWorkers } from '../../store/workers/missing-workers.js';

/**
 * How often all workers together look at one another, in ms, as long as they are few; and how seldom each does at most.
 * Each of many looks less often, so that what it costs does not grow with the square of their number.
 */
const INTERVAL = 250;
const LONGEST_INTERVAL = 2_000;

/** What a death watch works with. */
export interface FailureDetectorDependencies {
  /** How long a lock has to be free, in ms. */
  readonly grace: number;
  /** The worker that watches, and whether its own lock is held: one that has just lost it knows nothing of others. */
  readonly owner: () => number;
  readonly hasLock: () => boolean;
  /** The worker's own lock is free. */
  readonly onOwnSilence: () => void;
  /** Other workers have been silent for long enough. */
  readonly onDeath: (ids: readonly number[]) => void;
}

/**
 * Finds the workers that have died, by their named locks: one that is free in two looks at least a grace apart. A living
 * worker whose connection broke uses the grace to say so.
 *
 * What it asks goes with the looks for jobs: no statement is sent for it.
 */
export class FailureDetector {
  /** When each was seen silent first, by the monotonic clock. */
  private readonly silentSince = new Map<number, number>();
  private nextAt = 0;

  constructor(private readonly parts: FailureDetectorDependencies) {}

  /** Whether the next look is to ask for silent workers. */
  get isDue(): boolean {
    if (!this.parts.hasLock()) {
      this.forget();
      return false;
    }
    return performance.now() >= this.nextAt;
  }

  /**
   * A look has asked.
   *
   * @param sentAt when it was sent, by the monotonic clock.
   * @returns in how many ms to look again, if that matters.
   */
  saw({ watched, missing }: MissingWorkers, sentAt: number): number | undefined {
    const { grace, owner, onOwnSilence, onDeath } = this.parts;
    const own = owner();
    const now = performance.now();
    this.nextAt = now + Math.min(INTERVAL * Math.max(1, watched - 1), LONGEST_INTERVAL) * (0.5 + Math.random() / 2);
    if (missing.includes(own)) {
      onOwnSilence();
      return undefined;
    }
    for (const id of this.silentSince.keys()) {
      if (!missing.includes(id)) {
        this.silentSince.delete(id);
      }
    }
    const dead = missing.filter((id) => sentAt >= (this.silentSince.get(id) ?? Infinity) + grace);
    dead.forEach((id) => this.silentSince.delete(id));
    if (dead.length > 0) {
      onDeath(dead);
    }
    missing
      .filter((id) => !dead.includes(id) && !this.silentSince.has(id))
      .forEach((id) => this.silentSince.set(id, now));
    if (this.silentSince.size === 0) {
      return undefined;
    }
    this.nextAt = Math.min(...this.silentSince.values()) + grace;
    return Math.max(0, this.nextAt - now);
  }

  /** The database was away: others may have lost their locks with their connections, and need the grace anew. */
  forget(): void {
    this.silentSince.clear();
  }
}

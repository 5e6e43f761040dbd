import type { HeldLock } from '../../store/workers/missing-workers.js';

/** What one renewal says of the lock. */
export interface LockStatement {
  /** What to write: nothing, where the row says so already. Null: none. */
  readonly marks: { readonly lock?: HeldLock | null };
  /** The renewal has come to its end, in whatever way: it does not change the row after this any more. */
  ended(): void;
  /** The worker goes by its answer. */
  confirm(): void;
}

/**
 * What the worker's row says of its lock, as far as that is known.
 *
 * A renewal says it only where it has changed: one that comes late, behind others that were sent after it, must not say
 * what was true before. From the moment that one is sent which does say it, until it was answered with no other such one
 * under way, nobody knows what the row says, and every renewal says it again.
 */
export class AdvertisedLock {
  private known: HeldLock | undefined;
  private isUnsure = false;
  /** How many renewals are under way that say it. */
  private underWay = 0;

  /** The row is new. */
  registered(lock: HeldLock | undefined): void {
    this.known = lock;
    this.isUnsure = false;
  }

  /** Whether others may see a lock in the row that the worker, which holds this one, does not hold. */
  isInDoubt(lock: HeldLock | undefined): boolean {
    return (this.known !== undefined && this.known !== lock) || (this.isUnsure && lock === undefined);
  }

  /** Before a renewal is sent. */
  say(lock: HeldLock | undefined): LockStatement {
    if (lock === this.known && !this.isUnsure) {
      return { marks: {}, ended: () => undefined, confirm: () => undefined };
    }
    this.isUnsure = true;
    const isAlone = this.underWay++ === 0;
    return {
      marks: { lock: lock ?? null },
      ended: () => void this.underWay--,
      confirm: () => {
        this.known = lock;
        this.isUnsure = !isAlone || this.underWay > 0;
      },
    };
  }
}

import type { HeldLock } from '../../store/base/locks/missing-workers.js';

/** What one lease renewal writes about the lock. */
export interface LockAdvertisement {
  /** The columns to write: none where the row has them already; null for no lock. */
  readonly columns: { readonly lock?: HeldLock | null };
  /** The renewal has ended in any way: it cannot change the row any more. */
  ended(): void;
  /** The renewal has succeeded. */
  confirm(): void;
}

/**
 * Tracks the lock name that the worker's row currently advertises.
 *
 * A renewal writes the lock only where it has changed: a renewal that arrives late, behind later ones, must not write
 * an old value. Once such a renewal is sent, the row is uncertain until one was confirmed with no other under way;
 * until then every renewal writes the lock again.
 */
export class AdvertisedLock {
  private known: HeldLock | undefined;
  private isUncertain = false;
  /** How many renewals that write the lock are under way. */
  private underWay = 0;

  /** The row is new. */
  onRegistered(lock: HeldLock | undefined): void {
    this.known = lock;
    this.isUncertain = false;
  }

  /** Whether the row may show others a lock that the worker does not hold. @param lock the one it holds. */
  mayDiffer(lock: HeldLock | undefined): boolean {
    return (this.known !== undefined && this.known !== lock) || (this.isUncertain && lock === undefined);
  }

  /** Called before a renewal is sent. */
  advertise(lock: HeldLock | undefined): LockAdvertisement {
    if (lock === this.known && !this.isUncertain) {
      return { columns: {}, ended: () => undefined, confirm: () => undefined };
    }
    this.isUncertain = true;
    const isAlone = this.underWay++ === 0;
    return {
      columns: { lock: lock ?? null },
      ended: () => void this.underWay--,
      confirm: () => {
        this.known = lock;
        this.isUncertain = !isAlone || this.underWay > 0;
      },
    };
  }
}

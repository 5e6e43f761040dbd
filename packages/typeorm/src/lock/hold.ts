/** How long others wait for a holder that is silent before the lock is theirs, in ms. The same on every database. */
export const SILENCE = 30_000;

/** A lock that is held. */
export interface Hold {
  /** Aborted with a `LockLostError` when it is lost. */
  readonly signal: AbortSignal;
  /** Frees it. Idempotent. @returns whether it was held until now. */
  release(): Promise<boolean>;
}

/**
 * One way of locking.
 *
 * @param wait how long to wait, in ms.
 * @returns undefined when it was not free in time.
 */
export type TakeLock = (name: string, wait: number) => Promise<Hold | undefined>;

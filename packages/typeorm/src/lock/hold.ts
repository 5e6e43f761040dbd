import { LockLostError } from '../errors/index.js';

/** How long others wait for a holder that is silent before the lock is theirs, in ms. The same on every database. */
export const HOLDER_TIMEOUT = 30_000;

/** A lock that is held. */
export interface Hold {
  /** Aborted with a `LockLostError` when it is lost. */
  readonly signal: AbortSignal;
  /** Frees it. Idempotent. @returns whether it was held until now. */
  release(): Promise<boolean>;
}

/** What all holds have in common: a lock is over once, and a holder who loses it is told. */
export abstract class LosableHold implements Hold {
  protected isOver = false;
  private readonly abort = new AbortController();

  constructor(protected readonly name: string) {}

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  abstract release(): Promise<boolean>;

  /** Ends whatever watches over the lock. */
  protected abstract stopWatching(): void;

  protected end(): void {
    this.isOver = true;
    this.stopWatching();
  }

  protected onLost(): void {
    if (!this.isOver) {
      this.end();
      this.abort.abort(new LockLostError(this.name));
    }
  }
}

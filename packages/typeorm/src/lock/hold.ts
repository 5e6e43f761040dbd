import { LockLostError } from '../errors/index.js';

/** How long a lock outlasts the last sign of life of its holder, in ms. The same on every database. */
export const HOLDER_TIMEOUT = 30_000;

/** A lock that is held. */
export interface Hold {
  /** Aborted with a `LockLostError` when the lock is lost. */
  readonly signal: AbortSignal;
  /** Frees the lock. Idempotent. @returns whether it was held until now. */
  release(): Promise<boolean>;
}

/** The common part of all holds: a lock ends once, and its loss aborts the signal. */
export abstract class LosableHold implements Hold {
  protected hasEnded = false;
  private readonly abort = new AbortController();

  constructor(protected readonly name: string) {}

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  abstract release(): Promise<boolean>;

  protected abstract stopTimers(): void;

  protected end(): void {
    this.hasEnded = true;
    this.stopTimers();
  }

  protected onLost(): void {
    if (!this.hasEnded) {
      this.end();
      this.abort.abort(new LockLostError(this.name));
    }
  }
}

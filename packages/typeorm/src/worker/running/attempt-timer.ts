import { JobTimeoutError } from '../../errors/index.js';

/** Measures the time of an attempt against the timeout of its definition. */
export class AttemptTimer {
  private timer: NodeJS.Timeout | undefined;
  private resolveExpired: ((late: 'late') => void) | undefined;
  private hasExpired = false;
  /** Resolves when the timeout is over. */
  readonly expired = new Promise<'late'>((resolve) => {
    this.resolveExpired = resolve;
  });

  /** @param timeout in ms. */
  constructor(readonly timeout: number) {}

  /** Starts the whole timeout again. */
  start(): void {
    this.stop();
    this.timer = setTimeout(() => {
      this.hasExpired = true;
      this.resolveExpired?.('late');
    }, this.timeout);
    // A handler that outlives its worker must not keep the process alive.
    this.timer.unref();
  }

  /** Stops the clock: what follows is not the handler's time. */
  stop(): void {
    clearTimeout(this.timer);
  }

  /** @throws JobTimeoutError when the timeout was over before `stop`. */
  assertInTime(): void {
    if (this.hasExpired) {
      throw new JobTimeoutError(this.timeout);
    }
  }
}

import { JobTimeoutError } from '../../errors/index.js';

/** The time an attempt may take, by the timeout of its definition. */
export class AttemptTimer {
  private timer: NodeJS.Timeout | undefined;
  private ring: ((late: 'late') => void) | undefined;
  private hasRung = false;
  /** Resolves when the time is up. */
  readonly isUp = new Promise<'late'>((resolve) => {
    this.ring = resolve;
  });

  /** @param timeout in ms. */
  constructor(readonly timeout: number) {}

  /** The whole time begins now. */
  start(): void {
    this.stop();
    this.timer = setTimeout(() => {
      this.hasRung = true;
      this.ring?.('late');
    }, this.timeout);
    // A handler that a stopped worker has left behind keeps no process alive; while the worker works, that does.
    this.timer.unref();
  }

  /** What comes now does not count. */
  stop(): void {
    clearTimeout(this.timer);
  }

  /** @throws JobTimeoutError when the time was up before it was stopped. */
  assertInTime(): void {
    if (this.hasRung) {
      throw new JobTimeoutError(this.timeout);
    }
  }
}

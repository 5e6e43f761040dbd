import { LONGEST_TIMER } from '../duration.js';

/** Lets one loop sleep until it is called or a time has passed. A call while it is awake counts for its next sleep. */
export class WakeUp {
  private called = false;
  private resolveSleep: (() => void) | undefined;

  wake(): void {
    this.called = true;
    this.resolveSleep?.();
  }

  /** @returns whether it was called; false when the time passed, at once for a negative one. */
  async sleep(milliseconds: number): Promise<boolean> {
    if (!this.called) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.resolveSleep = resolve;
        // Node 26 warns of a negative time.
        const wait = Math.max(0, Math.min(milliseconds, LONGEST_TIMER));
        timer = Number.isFinite(milliseconds) ? setTimeout(resolve, wait) : undefined;
      });
      clearTimeout(timer);
      this.resolveSleep = undefined;
    }
    const { called } = this;
    this.called = false;
    return called;
  }
}

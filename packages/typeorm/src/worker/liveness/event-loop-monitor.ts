import { createHistogram } from 'node:perf_hooks';

import type { EventLoopDelay } from '../../store/workers/find-workers.js';

/** How often the delay is sampled, in ms. */
const INTERVAL = 20;
/** A longer delay counts as so many ms. */
const LONGEST = 24 * 3_600_000;

/**
 * Samples how late this process runs its timers: a handler that computes without a pause delays everything else.
 *
 * Unlike `monitorEventLoopDelay`, it also counts a block that ends just now: the renewal of the lease that was late
 * because of it may run first. See docs/decisions/0145.
 */
export class EventLoopMonitor {
  private readonly histogram = createHistogram({ lowest: 1, highest: LONGEST, figures: 2 });
  private max = 0;
  /** When the timer fires next. */
  private dueAt = Infinity;
  private timer: NodeJS.Timeout | undefined;
  private missed: EventLoopDelay = { p99: 0, max: 0 };

  /** Starts sampling. It does not keep the process alive. */
  start(): void {
    this.stop();
    this.dueAt = performance.now() + INTERVAL;
    this.timer = setInterval(() => {
      this.addSample();
      this.dueAt = performance.now() + INTERVAL;
    }, INTERVAL).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.dueAt = Infinity;
  }

  /** Returns the delay since the last call, with delays that were put back. */
  take(): EventLoopDelay {
    if (performance.now() > this.dueAt) {
      this.addSample();
      // The timer then adds only what comes after this.
      this.dueAt = performance.now();
    }
    const { histogram, missed } = this;
    const p99 = histogram.count === 0 ? 0 : histogram.percentile(99);
    const delay = { p99: Math.max(p99, missed.p99), max: Math.max(this.max, missed.max) };
    histogram.reset();
    this.max = 0;
    this.missed = { p99: 0, max: 0 };
    return delay;
  }

  /** A report failed: the next `take` returns its delay too. */
  putBack({ p99, max }: EventLoopDelay): void {
    this.missed = { p99: Math.max(p99, this.missed.p99), max: Math.max(max, this.missed.max) };
  }

  private addSample(): void {
    const late = Math.min(Math.max(0, Math.round(performance.now() - this.dueAt)), LONGEST);
    this.max = Math.max(this.max, late);
    // The histogram refuses 0.
    this.histogram.record(Math.max(1, late));
  }
}

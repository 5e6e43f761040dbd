import type { OutageLogger, QueueLogger } from '../../logger.js';

/** After how long an error of an outage is told again, in ms. */
const REMINDER = 60_000;

/**
 * The logger of a worker. While the database is away everything fails, again and again and for each job that ends: each
 * kind of error is told once, and once a minute, and the end of it once. With 20 jobs that ended meanwhile 12 s without a
 * server were 153 errors with their stacks (2026-11-21).
 */
export class ThrottledLogger implements OutageLogger {
  /** When each kind of error was told last. */
  private readonly toldAt = new Map<string, number>();
  private since = 0;
  private untold = 0;

  constructor(private readonly logger: QueueLogger) {}

  log(message: string): void {
    this.logger.log(message);
  }

  warn(message: string): void {
    this.logger.warn(message);
  }

  error(message: string, stack?: string): void {
    this.logger.error(message, stack);
  }

  isNews(what: string): boolean {
    const now = performance.now();
    if (this.toldAt.size === 0) {
      this.since = now;
    }
    if (now - (this.toldAt.get(what) ?? -Infinity) < REMINDER) {
      this.untold++;
      return false;
    }
    this.toldAt.set(what, now);
    return true;
  }

  /** The database has taken something that was written. */
  over(): void {
    if (this.toldAt.size > 0) {
      const seconds = ((performance.now() - this.since) / 1000).toFixed(1);
      this.logger.warn(
        `The database works again after ${seconds} s. ${this.untold} more errors of it were not logged.`,
      );
      this.toldAt.clear();
      this.untold = 0;
    }
  }
}

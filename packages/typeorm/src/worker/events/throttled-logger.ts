import type { OutageLogger, QueueLogger } from '../../logger.js';

/** After how long an error of an outage is logged again, in ms. */
const REMINDER = 60_000;

/**
 * The logger of a worker. While the database is away, each kind of error is logged once and then once a minute, and the
 * end of the outage once. Without it, 12 s without a server logged 153 errors with stacks. See decision 0044.
 */
export class ThrottledLogger implements OutageLogger {
  /** When each kind of error was last logged. */
  private readonly loggedAt = new Map<string, number>();
  private since = 0;
  private suppressed = 0;

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

  shouldLog(what: string): boolean {
    const now = performance.now();
    if (this.loggedAt.size === 0) {
      this.since = now;
    }
    if (now - (this.loggedAt.get(what) ?? -Infinity) < REMINDER) {
      this.suppressed++;
      return false;
    }
    this.loggedAt.set(what, now);
    return true;
  }

  /** The database has accepted a write. */
  onDatabaseBack(): void {
    if (this.loggedAt.size > 0) {
      const seconds = ((performance.now() - this.since) / 1000).toFixed(1);
      this.logger.warn(`The database works again after ${seconds} s. ${this.suppressed} more errors were not logged.`);
      this.loggedAt.clear();
      this.suppressed = 0;
    }
  }
}

import type { QueueLogger } from '../../logger.js';

/**
 * The logger of a worker until it has stopped. Handlers that were abandoned, and statements of a database that hangs,
 * may end later. Then the application has closed its logger, and Jest fails a test whose code logs after it.
 */
export class ClosableLogger implements QueueLogger {
  private logger: QueueLogger | undefined;

  constructor(logger: QueueLogger) {
    this.logger = logger;
  }

  log(message: string): void {
    this.logger?.log(message);
  }

  warn(message: string): void {
    this.logger?.warn(message);
  }

  error(message: string, stack?: string): void {
    this.logger?.error(message, stack);
  }

  /** Ignores all later messages. */
  close(): void {
    this.logger = undefined;
  }
}

import { type QueueLogger, logError } from '../logger.js';
import type { MaintenanceService } from './maintenance-service.js';

/** Reports when a task has work before its interval has passed. */
export interface EarlyWork {
  /** The time until there is work, in ms, as far as it is known; Infinity for none. */
  readonly nextRunIn: number;
  /** Calls the listener when there may be work now, until the returned function is called. */
  listen(listener: () => void): () => void;
}

/**
 * Runs a task repeatedly, never twice at a time: a tick is skipped while the last run lasts. Errors go to `onError` and
 * do not stop the ticker. A task that knows when there is work also runs then.
 */
export class Ticker {
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly stopping = new AbortController();
  private stopListening: (() => void) | undefined;
  private earlyTimer: NodeJS.Timeout | undefined;
  /** Whether there may be work that the current run has not seen. */
  private hasEarlyWork = false;

  /**
   * @param interval in ms.
   * @param early reports when there is work before the interval has passed.
   */
  constructor(
    private readonly task: (signal: AbortSignal) => Promise<unknown>,
    private readonly interval: number,
    private readonly onError: (error: unknown) => void,
    private readonly early?: EarlyWork,
  ) {}

  /** Creates a ticker for a maintenance service: runs it when it is due, and logs errors. */
  static for(service: MaintenanceService<unknown>, interval: number, logger: QueueLogger): Ticker {
    return new Ticker(
      (signal) => service.runIfDue(interval, signal),
      interval,
      (error) => logError(logger, `The ${service.task} failed and is tried again`, error),
      service,
    );
  }

  /** @returns the interval's handle. */
  start(): NodeJS.Timeout {
    this.stopListening ??= this.early?.listen(() => this.onEarlyWork());
    this.timer ??= setInterval(() => this.tick(), this.interval);
    this.tickEarly();
    return this.timer;
  }

  /** Stops the ticker; resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.stopListening?.();
    clearInterval(this.timer);
    clearTimeout(this.earlyTimer);
    this.timer = undefined;
    this.stopping.abort();
    await this.running;
  }

  private tick(): void {
    this.running ??= this.runOnce().finally(() => {
      this.running = undefined;
      this.tickEarly();
    });
  }

  private onEarlyWork(): void {
    this.hasEarlyWork = true;
    if (this.running === undefined) {
      this.tickEarly();
    }
  }

  private tickEarly(): void {
    const wait = this.hasEarlyWork ? 0 : (this.early?.nextRunIn ?? Infinity);
    this.hasEarlyWork = false;
    clearTimeout(this.earlyTimer);
    if (this.timer && wait < this.interval) {
      this.earlyTimer = setTimeout(() => this.tick(), Math.max(0, Math.ceil(wait)));
    }
  }

  private async runOnce(): Promise<void> {
    try {
      await this.task(this.stopping.signal);
    } catch (error) {
      this.onError(error);
    }
  }
}

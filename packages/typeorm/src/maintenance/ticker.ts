import { type QueueLogger, logError } from '../logger.js';
import type { MaintenanceService } from './maintenance-service.js';

/**
 * Runs a task again and again, never twice at a time: a tick that comes while the last one still runs is left out.
 * An error is handed to `onError` and does not end the ticking.
 */
export class Ticker {
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly stopping = new AbortController();

  /** @param interval in ms. */
  constructor(
    private readonly task: (signal: AbortSignal) => Promise<unknown>,
    private readonly interval: number,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** A ticker for a maintenance service: does its work when it is due, and reports errors. */
  static for(service: MaintenanceService<unknown>, interval: number, logger: QueueLogger): Ticker {
    return new Ticker(
      (signal) => service.runIfDue(interval, signal),
      interval,
      (error) => logError(logger, `The ${service.task} failed and is tried again`, error),
    );
  }

  /** @returns the interval's handle. */
  start(): NodeJS.Timeout {
    this.timer ??= setInterval(() => this.tick(), this.interval);
    return this.timer;
  }

  /** Ends the ticking; resolves when a run under way has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    this.stopping.abort();
    await this.running;
  }

  private tick(): void {
    this.running ??= this.runOnce().finally(() => {
      this.running = undefined;
    });
  }

  private async runOnce(): Promise<void> {
    try {
      await this.task(this.stopping.signal);
    } catch (error) {
      this.onError(error);
    }
  }
}

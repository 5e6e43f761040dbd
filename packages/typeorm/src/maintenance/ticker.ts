import { type QueueLogger, logError } from '../logger.js';
import type { MaintenanceService } from './maintenance-service.js';

/** Tells when a task has something to do before its interval has passed. */
export interface EarlyWork {
  /** In how many ms, as far as is known; Infinity for nothing. */
  readonly nextRunIn: number;
  /** Calls the listener when there may be something now, until the returned function is called. */
  listen(listener: () => void): () => void;
}

/**
 * Runs a task again and again, never twice at a time: a tick that comes while the last one still runs is left out.
 * An error is handed to `onError` and does not end the ticking.
 *
 * A task that knows when there is something to do is run then as well.
 */
export class Ticker {
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly stopping = new AbortController();
  private stopListening: (() => void) | undefined;
  private earlyTimer: NodeJS.Timeout | undefined;
  /** There may be something to do that a run under way has not seen. */
  private called = false;

  /**
   * @param interval in ms.
   * @param early tells when there is something to do before that.
   */
  constructor(
    private readonly task: (signal: AbortSignal) => Promise<unknown>,
    private readonly interval: number,
    private readonly onError: (error: unknown) => void,
    private readonly early?: EarlyWork,
  ) {}

  /** A ticker for a maintenance service: does its work when it is due, and reports errors. */
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
    this.stopListening ??= this.early?.listen(() => this.call());
    this.timer ??= setInterval(() => this.tick(), this.interval);
    this.tickEarly();
    return this.timer;
  }

  /** Ends the ticking; resolves when a run under way has ended. */
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

  private call(): void {
    this.called = true;
    if (this.running === undefined) {
      this.tickEarly();
    }
  }

  private tickEarly(): void {
    const wait = this.called ? 0 : (this.early?.nextRunIn ?? Infinity);
    this.called = false;
    clearTimeout(this.earlyTimer);
    if (this.timer && wait < this.interval) {
      this.earlyTimer = setTimeout(() => this.tick(), Math.ceil(wait));
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

import { WakeUp } from '../../async/wake-up.js';
import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import { findSignals } from '../../store/claim/signals.js';
import type { JobPool } from '../running/job-pool.js';
import { SIGNALS_INTERVAL } from './queue-poller.js';

/** Cancels the running jobs of a worker that is stopping: its claimer, which did so before, has ended. */
export class CancellationPoller {
  private readonly wakeUp = new WakeUp();
  private stopped = false;
  private loop: Promise<void> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly queues: readonly string[],
    private readonly pool: JobPool,
    private readonly logger: QueueLogger,
  ) {}

  /** Polls until no job runs any more. Idempotent. */
  start(): void {
    this.loop ??= this.run();
  }

  /** Resolves when no poll is under way any more. Idempotent. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.wake();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopped && this.pool.count > 0) {
      await this.poll();
      await this.wakeUp.sleep(SIGNALS_INTERVAL);
    }
  }

  private async poll(): Promise<void> {
    const options = { purpose: 'read signals', readOnly: true };
    try {
      const { cancelled } = await this.engine.execute((dialect) => findSignals(dialect, this.queues, false), options);
      this.pool.cancelJobs(cancelled);
    } catch (error) {
      logError(this.logger, 'Requests to cancel could not be read', error);
    }
  }
}

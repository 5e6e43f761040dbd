import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import { lookForSignals } from '../../store/claim/signals.js';
import { SIGNALS_AGE } from './claimer.js';
import type { JobPool } from '../running/job-pool.js';
import { WakeUp } from '../../async/wake-up.js';

/** Tells the running jobs of a worker that claims no more when they are to end, as its claimer did before. */
export class CancellationPoller {
  private readonly wakeUp = new WakeUp();
  private stopped = false;
  private loop: Promise<void> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly queues: readonly string[],
    private readonly running: JobPool,
    private readonly logger: QueueLogger,
  ) {}

  /** Ends by itself when no job runs any more. Idempotent. */
  start(): void {
    this.loop ??= this.run();
  }

  /** Resolves when no look is under way any more. Idempotent. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.call();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopped && this.running.count > 0) {
      await this.look();
      await this.wakeUp.sleep(SIGNALS_AGE);
    }
  }

  private async look(): Promise<void> {
    const options = { purpose: 'look for signals', readOnly: true };
    try {
      const { cancelled } = await this.engine.execute(
        (dialect) => lookForSignals(dialect, this.queues, false),
        options,
      );
      this.running.cancel(cancelled);
    } catch (error) {
      logError(this.logger, 'Requests to cancel could not be read', error);
    }
  }
}

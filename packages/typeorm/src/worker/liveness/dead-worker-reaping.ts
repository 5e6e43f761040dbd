import { type QueueLogger, logError } from '../../logger.js';
import type { Reaper } from '../../maintenance/reaper/reaper.js';

/** Frees the jobs of workers that were found dead, beside the claims, one reaping after the other. */
export class DeadWorkerReaping {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly reaper: Reaper,
    private readonly logger: QueueLogger,
  ) {}

  /** @param ids of the dead workers. */
  startReaping(ids: readonly number[]): void {
    this.last = this.last.then(() => this.reap(ids));
  }

  /** Resolves when no reaping is under way any more. */
  async waitUntilDone(): Promise<void> {
    await this.last;
  }

  private async reap(ids: readonly number[]): Promise<void> {
    try {
      const dead = await this.reaper.reapMissing(ids);
      if (dead.length > 0) {
        this.logger.log(`Workers have died, their jobs are ready again: ${dead.join(', ')}`);
      }
    } catch (error) {
      logError(this.logger, 'Jobs of dead workers could not be freed and wait for the next reaper', error);
    }
  }
}

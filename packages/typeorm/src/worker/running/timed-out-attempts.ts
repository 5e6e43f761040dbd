import type { QueueLogger } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { AttemptResult } from '../completing/outcome.js';

/**
 * Jobs whose handlers still run in this process after their timeout. No other attempt of them begins here meanwhile.
 */
export class TimedOutAttempts {
  /** Their ids in hex. */
  private readonly ids = new Set<string>();

  constructor(private readonly logger: QueueLogger) {}

  hasJob({ id }: ClaimedJob): boolean {
    return this.ids.size > 0 && this.ids.has(id.toString('hex'));
  }

  /** Resolves when the handler has ended. @param handlerEnd resolves with what would have been the outcome. */
  async trackUntilEnd({ id, name }: ClaimedJob, handlerEnd: Promise<AttemptResult>): Promise<void> {
    const key = id.toString('hex');
    const since = performance.now();
    this.ids.add(key);
    const late = await handlerEnd;
    this.ids.delete(key);
    if (late.kind === 'succeeded') {
      const by = Math.round(performance.now() - since);
      this.logger.warn(
        `An attempt of job "${name}" succeeded ${by} ms after its timeout, so it counts as failed. ` +
          'Raise the timeout, or end the handler when its signal is aborted.',
      );
    }
  }
}

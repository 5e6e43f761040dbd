import type { QueueLogger } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import type { AttemptResult } from '../completing/outcome.js';

/** The jobs whose handlers still run in this process although their timeout is over: no other attempt begins beside them. */
export class TimedOutAttempts {
  /** Their ids, in hex. */
  private readonly ids = new Set<string>();

  constructor(private readonly logger: QueueLogger) {}

  has({ id }: ClaimedJob): boolean {
    return this.ids.size > 0 && this.ids.has(id.toString('hex'));
  }

  /** Resolves when the handler of a job has ended, with what would have been its outcome. */
  async untilEnd({ id, name }: ClaimedJob, handlerEnd: Promise<AttemptResult>): Promise<void> {
    const key = id.toString('hex');
    const since = performance.now();
    this.ids.add(key);
    const late = await handlerEnd;
    this.ids.delete(key);
    if (late.kind === 'succeeded') {
      const by = Math.round(performance.now() - since);
      this.logger.warn(`A run of job "${name}" has succeeded ${by} ms after its timeout. It does not count.`);
    }
  }
}

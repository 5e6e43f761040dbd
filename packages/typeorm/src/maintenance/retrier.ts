import type { Engine } from '../engine/engine.js';
import { promoteDueJobs, queuesWithDueJobs } from '../store/promote-due-jobs.js';
import { MaintenanceService } from './maintenance-service.js';

/** What one run of the retrier did. */
export interface RetrierResult {
  /** How many jobs became ready. */
  readonly promoted: number;
}

/** Makes scheduled jobs ready when they are due: retries whose wait is over, and delayed jobs. */
export class Retrier extends MaintenanceService<RetrierResult> {
  protected readonly task = 'retrier';

  /** @param onReady told of each queue in which jobs became ready, so that this process need not look for them. */
  constructor(
    engine: Engine,
    private readonly onReady: (queue: string) => void = () => undefined,
  ) {
    super(engine);
  }

  override async runOnce(): Promise<RetrierResult> {
    const queues = await this.engine.execute(queuesWithDueJobs, { purpose: 'look for due jobs', readOnly: true });
    let total = 0;
    for (const queue of queues) {
      for (let more = true; more;) {
        const result = await this.engine.execute((dialect) => promoteDueJobs(dialect, queue), {
          purpose: 'promote due jobs',
        });
        total += result.promoted;
        more = result.more;
      }
      this.onReady(queue);
    }
    return { promoted: total };
  }
}

import { promoteDueJobs, queuesWithDueJobs } from '../store/promote-due-jobs.js';
import { MaintenanceService } from './maintenance-service.js';

/** What one run of the retrier did. */
export interface RetrierResult {
  /** How many jobs became ready. */
  readonly promoted: number;
}

/** Makes scheduled jobs ready when they are due: retries whose wait is over, and delayed jobs. */
export class Retrier extends MaintenanceService<RetrierResult> {
  readonly task = 'retrier';

  override async runOnce(): Promise<RetrierResult> {
    const queues = await this.engine.execute(queuesWithDueJobs, { purpose: 'look for due jobs', readOnly: true });
    let promoted = 0;
    for (const queue of queues) {
      promoted += await this.promote(queue);
    }
    return { promoted };
  }

  /**
   * Makes the due jobs of one queue ready.
   *
   * @returns how many there were.
   */
  promote(queue: string): Promise<number> {
    return this.makeAllReady(queue, 'promote due jobs', (dialect) => promoteDueJobs(dialect, queue));
  }
}

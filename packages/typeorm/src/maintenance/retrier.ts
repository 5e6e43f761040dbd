import { executeRead } from '../engine/engine.js';
import type { MovedJobs } from '../store/base/order/lane.js';
import { promoteDueJobs, queuesWithDueJobs } from '../store/claim/promote-due-jobs.js';
import { MaintenanceService } from './maintenance-service.js';

/** What one run of the retrier did. */
export interface RetrierResult {
  /** How many jobs became ready. */
  readonly promoted: number;
}

/** Makes scheduled jobs ready when they are due: retries after their backoff, and delayed jobs. */
export class Retrier extends MaintenanceService<RetrierResult> {
  readonly task = 'retrier';

  override async runOnce(): Promise<RetrierResult> {
    const queues = await executeRead(this.engine, 'read queues with due jobs', queuesWithDueJobs);
    let promoted = 0;
    for (const queue of queues) {
      promoted += await this.makeAllReady(queue, () => this.promoteBatch(queue));
    }
    return { promoted };
  }

  /** Makes the first due jobs of one queue ready, in one transaction. */
  promoteBatch(queue: string): Promise<MovedJobs> {
    return this.engine.execute((dialect) => promoteDueJobs(dialect, queue), {
      purpose: 'promote due jobs',
      atomic: true,
    });
  }
}

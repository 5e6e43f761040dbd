import { deleteExpiredWorkers, findRemains, reapLane } from '../store/reap-abandoned-jobs.js';
import { MaintenanceService } from './maintenance-service.js';

/** What one run of the reaper did. */
export interface ReaperResult {
  /** How many jobs of dead workers are ready again. */
  readonly freed: number;
  /** How many workers were forgotten. */
  readonly workers: number;
}

/** Frees the jobs of workers whose lease has ended. */
export class Reaper extends MaintenanceService<ReaperResult> {
  readonly task = 'reaper';

  override async runOnce(): Promise<ReaperResult> {
    const remains = await this.engine.execute(findRemains, { purpose: 'look for dead workers', readOnly: true });
    let freed = 0;
    for (const lane of remains.lanes) {
      const options = { purpose: 'free abandoned jobs', atomic: true };
      freed += await this.makeAllReady(lane.queue, () => {
        return this.engine.execute((dialect) => reapLane(dialect, lane), options);
      });
    }
    const workers =
      remains.workers > 0 ? await this.engine.execute(deleteExpiredWorkers, { purpose: 'forget dead workers' }) : 0;
    return { freed, workers };
  }
}

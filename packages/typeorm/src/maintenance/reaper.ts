import { abandonedLanes, deleteExpiredWorkers, hasExpiredWorkers, reapLane } from '../store/reap-abandoned-jobs.js';
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
    const lanes = await this.engine.execute(abandonedLanes, { purpose: 'look for abandoned jobs', readOnly: true });
    let freed = 0;
    for (const lane of lanes) {
      const options = { purpose: 'free abandoned jobs', atomic: true };
      freed += await this.makeAllReady(lane.queue, () => {
        return this.engine.execute((dialect) => reapLane(dialect, lane), options);
      });
    }
    const look = { purpose: 'look for dead workers', readOnly: true };
    const workers = (await this.engine.execute(hasExpiredWorkers, look))
      ? await this.engine.execute(deleteExpiredWorkers, { purpose: 'forget dead workers' })
      : 0;
    return { freed, workers };
  }
}

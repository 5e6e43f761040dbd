import type { Engine } from '../engine/engine.js';
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
  protected readonly task = 'reaper';

  /** @param onReady told of each queue in which jobs became ready, so that this process need not look for them. */
  constructor(
    engine: Engine,
    private readonly onReady: (queue: string) => void = () => undefined,
  ) {
    super(engine);
  }

  override async runOnce(): Promise<ReaperResult> {
    const lanes = await this.engine.execute(abandonedLanes, { purpose: 'look for abandoned jobs', readOnly: true });
    let total = 0;
    for (const lane of lanes) {
      for (let more = true; more;) {
        const result = await this.engine.execute((dialect) => reapLane(dialect, lane), {
          purpose: 'free abandoned jobs',
        });
        total += result.freed;
        more = result.more;
      }
      this.onReady(lane.queue);
    }
    const look = { purpose: 'look for dead workers', readOnly: true };
    const workers = (await this.engine.execute(hasExpiredWorkers, look))
      ? await this.engine.execute(deleteExpiredWorkers, { purpose: 'forget dead workers' })
      : 0;
    return { freed: total, workers };
  }
}

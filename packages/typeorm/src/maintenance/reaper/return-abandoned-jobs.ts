import { repeatUntilDone } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import type { RunningLane } from '../../store/base/abandoned-lanes.js';
import type { ReportedJob } from '../../store/base/jobs/reported-job.js';
import { returnAbandonedJobs } from '../../store/workers/return-abandoned-jobs.js';

/** Receives the jobs that the reaper returns. */
export interface StallListener {
  /** Whether there are listeners: otherwise the jobs are not read. */
  readonly isListening: boolean;
  /** Called after the job is ready again, and that is committed. */
  onStalled(job: ReportedJob): void;
}

/**
 * Makes the running jobs of dead workers ready again.
 *
 * @returns how many.
 */
export async function returnAllAbandoned(
  engine: Engine,
  lanes: readonly RunningLane[],
  stalls: StallListener | undefined,
  onReady: (queue: string) => void,
): Promise<number> {
  const options = { purpose: 'return abandoned jobs', atomic: true };
  let total = 0;
  for (const lane of lanes) {
    let returned = 0;
    await repeatUntilDone(async () => {
      const withJobs = stalls?.isListening === true;
      const batch = await engine.execute((dialect) => returnAbandonedJobs(dialect, lane, withJobs), options);
      batch.stalled.forEach((job) => stalls?.onStalled(job));
      returned += batch.ids.length;
      return batch.more;
    });
    if (returned > 0) {
      onReady(lane.queue);
    }
    total += returned;
  }
  return total;
}

import { uuidFromBytes } from '../../definition/job-id.js';
import type { ExpiryListener } from '../../maintenance/reaper/expire-jobs.js';
import type { EndedJobs } from '../../queue/jobs/ended-jobs.js';
import type { JobWaits } from '../../queue/jobs/job-waits.js';
import { ClaimedJobInfo } from '../running/attempt.js';
import type { WorkerEventEmitter } from './worker-events.js';

/** Emits `expired`, and continues with what depends on the jobs: calls of `waitFor`, groups, parents and order keys. */
export function expiryListener(events: WorkerEventEmitter, waits: JobWaits, endedJobs: EndedJobs): ExpiryListener {
  return (jobs) => {
    for (const job of jobs) {
      waits.onJobFinished(uuidFromBytes(job.id));
      events.emitSafely('expired', new ClaimedJobInfo(job));
    }
    return endedJobs.onAllEnded(jobs);
  };
}

import type { StallListener } from '../../maintenance/reaper/return-abandoned-jobs.js';
import { ClaimedJobInfo } from '../running/attempt.js';
import type { WorkerEventEmitter } from './worker-events.js';

/** Emits `stalled` for the jobs that a worker's reaper frees. */
export function stallListener(events: WorkerEventEmitter): StallListener {
  return {
    get isListening() {
      return events.listenerCount('stalled') > 0;
    },
    onStalled: (job) => events.emitSafely('stalled', new ClaimedJobInfo(job)),
  };
}

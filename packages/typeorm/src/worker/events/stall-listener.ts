import { uuidFromBytes } from '../../definition/job-id.js';
import type { StallListener } from '../../maintenance/reaper/return-abandoned-jobs.js';
import type { WorkerEventEmitter } from './worker-events.js';

/** Emits `stalled` for the jobs that a worker's reaper frees. */
export function stallListener(events: WorkerEventEmitter): StallListener {
  return {
    get isListening() {
      return events.listenerCount('stalled') > 0;
    },
    onStalled: ({ id, queue, name, key, tenant, attempt, failures }) =>
      events.emitSafely('stalled', {
        id: uuidFromBytes(id),
        name,
        queue,
        key: key ?? undefined,
        tenant: tenant ?? undefined,
        attempt,
        failures,
      }),
  };
}
